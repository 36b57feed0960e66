import { adapters } from "@fairlead/adapters";
import { judgeProgram } from "@fairlead/conformance/vitest";
import { stages } from "@fairlead/lab";
import { knownFailures } from "./known-failures.ts";

const room = new URL("../packages/adapters/src/", import.meta.url);

for (const adapter of adapters) {
  const { id } = adapter.manifest;
  const openStage = stages[id];
  if (openStage === undefined) throw new Error(`The lab has no stage for ${id}.`);
  judgeProgram(adapter, openStage, new URL(`${id}/fixtures/`, room), knownFailures[id]);
}
