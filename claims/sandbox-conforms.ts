import { adapters } from "@fairlead/adapters";
import type { Claim } from "../measure/claim.ts";
import { readCompatibilityRecords } from "../scripts/compatibility.ts";
import { judgeAgent } from "./judge-agent.ts";

export const sandboxConforms: Claim = {
  id: "sandbox-conforms",
  statement: "An agent in a sandbox with a network gate keeps the same clauses as without, on its real program.",
  bound: "every judged agent: the clauses that docs/status/compatibility/ stores of a run without",
  async prove() {
    const results: string[] = [];
    let holds = true;
    for (const { manifest } of adapters) {
      const within = await judgeAgent(manifest.id, { network: "gate" });
      const version = within.version === "ours" ? manifest.version : within.version;
      const stored = readCompatibilityRecords().find(
        (record) => record.agent === manifest.id && record.version === version,
      );
      const expected = (stored?.clauses ?? []).filter((clause) => stored?.broken.includes(clause) !== true);
      const lost = expected.filter((clause) => within.clauses.get(clause) !== true);
      holds &&= lost.length === 0 && expected.length > 0;
      const note = lost.length === 0 ? "" : ` (not ${lost.join(", ")})`;
      const result = `${manifest.id} ${version} ${expected.length - lost.length} of ${expected.length}${note}`;
      results.push(result);
      // A run takes half an hour, and one that is cut off should have said what it found.
      console.log(result);
      if (lost.length > 0) console.log(within.output);
    }
    return { measured: results.join("; "), holds };
  },
};
