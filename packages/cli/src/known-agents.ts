import type { Runtime } from "@fairlead/runtime";
import { plain } from "./render/plain.ts";
import { table } from "./render/table.ts";
import { isUnverified } from "./surroundings.ts";

/** The agents of a runtime, each with a word on whether it is installed. */
export async function knownAgents(runtime: Runtime): Promise<string> {
  const judged = runtime.registry.all.filter(({ manifest }) => !isUnverified(manifest.id));
  const rows = judged.map(async ({ manifest: { id, label } }) => {
    const { installed, version } = await runtime.probe(id);
    return [`  ${id}`, label, installed ? `installed (${plain(version ?? "no version")})` : "not installed"];
  });
  return table(await Promise.all(rows)).join("\n");
}
