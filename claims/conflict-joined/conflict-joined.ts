import type { Claim } from "../../measure/claim.ts";
import { runScenario } from "../foreman/run-scenario.ts";
import type { JoinedConflict } from "./join-conflict.ts";

export const conflictJoined: Claim = {
  id: "conflict-joined",
  statement: "A conflict between two tasks is resolved by a session that made neither side.",
  bound:
    "real claude-code, and real codex, change the same line in two tasks: a third session resolves it, the acceptance passes on the joined tree, the clones of both authors are untouched",
  async prove() {
    const results = await runScenario<JoinedConflict>("conflict-joined/join-conflict.ts");
    return {
      measured: results
        .map(
          ({ builder, outcome, conflicts, isThirdSession, areClonesUntouched, isAccepted, content }) =>
            `${builder}: conflict in ${conflicts.join(", ")}, ${isThirdSession ? "a third session" : "an author"} resolved it to "${content}", acceptance ${isAccepted ? "passed" : "failed"}, clones ${areClonesUntouched ? "untouched" : "changed"}, ${outcome}`,
        )
        .join("; "),
      holds:
        results.length === 2 &&
        results.every(
          ({ outcome, conflicts, isThirdSession, areClonesUntouched, isAccepted, content }) =>
            outcome === "done" &&
            conflicts.join() === "a.txt" &&
            isThirdSession &&
            areClonesUntouched &&
            isAccepted &&
            content === "left and right",
        ),
    };
  },
};
