import { adapters } from "@fairlead/adapters";
import type { Claim } from "../measure/claim.ts";
import { judgeAgent } from "./judge-agent.ts";

export const sandboxConforms: Claim = {
  id: "sandbox-conforms",
  statement: "An agent in a sandbox keeps the same clauses as without one, on its real program.",
  bound: "every judged agent: the same clauses",
  async prove() {
    const results: string[] = [];
    let holds = true;
    for (const { manifest } of adapters) {
      const [without, within] = [await judgeAgent(manifest.id), await judgeAgent(manifest.id, { sandbox: true })];
      const lost = [...without.clauses].flatMap(([clause, kept]) =>
        kept && within.clauses.get(clause) !== true ? [clause] : [],
      );
      holds &&= lost.length === 0 && within.total === without.total && within.total > 0;
      const note = lost.length === 0 ? "" : ` (not ${lost.join(", ")})`;
      results.push(
        `${manifest.id} ${without.version} ${within.kept} of ${within.total}, without ${without.kept}${note}`,
      );
      if (lost.length > 0) console.log(within.output);
    }
    return { measured: results.join("; "), holds };
  },
};
