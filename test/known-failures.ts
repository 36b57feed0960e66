import type { KnownFailures } from "@fairlead/conformance";

/** Clauses that adapters of this house are known to break, each with the reason. An entry that is not true fails. */
export const knownFailures: Readonly<Record<string, KnownFailures>> = {
  amp: {
    "usage:exact":
      "Amp 0.0.1769314944-g5070a1 has a small model find a title for each new thread and tells nobody what that took. " +
      "What the turns themselves take it tells to the token. See its recording of the meters over three turns.",
  },
};
