import { adapters } from "@fairlead/adapters";
import { knownFailures } from "../test/known-failures.ts";
import type { Claim } from "./claim.ts";
import { onTheStage } from "./on-the-stage.ts";

/** For each agent: every MUST clause, on the real program, in every situation that it can be put into. */
export const conforms: readonly Claim[] = adapters.map(({ manifest: { id, label } }) => ({
  id: `conform:${id}`,
  says: `${label} keeps every MUST clause on its real program, offline, in every situation; what is declared is observed.`,
  bound: "all MUST clauses that it declares",
  async prove() {
    const { version, kept, of, scenarios, output } = await onTheStage(id);
    const known = Object.keys(knownFailures[id] ?? {});
    if (kept < of) console.log(output);
    const excused = known.length === 0 ? "" : `; known not to hold: ${known.join(", ")}`;
    return {
      measured: `${id} ${version}: ${kept} of ${of}, ${scenarios} scenarios${excused}`,
      holds: of > 0 && kept === of,
    };
  },
}));
