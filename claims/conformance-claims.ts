import { adapters } from "@fairlead/adapters";
import { knownFailures } from "../test/known-failures.ts";
import type { Claim } from "../measure/claim.ts";
import { judgeAgent } from "./judge-agent.ts";

/** For each agent: every MUST clause, on the real program, in every scenario that it supports. */
export const conformanceClaims: readonly Claim[] = adapters.map(({ manifest: { id, label } }) => ({
  id: `conform:${id}`,
  statement: `${label} keeps every MUST clause on its real program, offline, in every situation; declared capabilities are observed.`,
  bound: "all MUST clauses that it declares",
  async prove() {
    const { version, kept, total, scenarios, output } = await judgeAgent(id);
    const known = Object.keys(knownFailures[id] ?? {});
    if (kept < total) console.log(output);
    const knownFailureNote = known.length === 0 ? "" : `; known not to hold: ${known.join(", ")}`;
    return {
      measured: `${id} ${version}: ${kept} of ${total}, ${scenarios} scenarios${knownFailureNote}`,
      holds: total > 0 && kept === total,
    };
  },
}));
