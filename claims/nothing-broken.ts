import type { Claim } from "../measure/claim.ts";
import { readCleanCommit, readResults } from "../scripts/claim-status.ts";

/** The claim that every other claim was run on this commit. It must come last. */
export function createNothingBroken(others: readonly Claim[]): Claim {
  return {
    id: "nothing-broken",
    statement: "Every claim was run on this commit, and docs/status/claims.md names those that do not hold.",
    bound: `${others.length} of ${others.length} claims run on the commit`,
    async prove() {
      const commit = readCleanCommit();
      if (commit === null) return { measured: "the working tree differs from its commit", holds: false };
      const results = readResults(commit);
      const run = others.filter(({ id }) => results.some((result) => result.id === id));
      const failing = results.filter(({ id, holds }) => !holds && id !== "nothing-broken").map(({ id }) => id);
      const failed = failing.length === 0 ? "all hold" : `do not hold: ${failing.join(", ")}`;
      return {
        measured: `${run.length} of ${others.length} run on ${commit.slice(0, 7)}; ${failed}`,
        holds: run.length === others.length,
      };
    },
  };
}
