import { adapters } from "@fairlead/adapters";
import { judgeProgram } from "@fairlead/conformance/vitest";
import { testBenches } from "@fairlead/lab";
import { knownFailures } from "./known-failures.ts";

const adaptersFolder = new URL("../packages/adapters/src/", import.meta.url);

for (const adapter of adapters) {
  const { id } = adapter.manifest;
  const openBench = testBenches[id];
  if (openBench === undefined) throw new Error(`The lab has no test bench for ${id}.`);
  judgeProgram(adapter, openBench, new URL(`${id}/fixtures/`, adaptersFolder), knownFailures[id]);
}
