import type { KnownFailures } from "@fairlead/conformance";

/** The known failures of the adapters in this repository. The judge rejects an entry that no longer fails. */
export const knownFailures: Readonly<Record<string, KnownFailures>> = {
  amp: {
    "usage:exact":
      "Amp 0.0.1769314944-g5070a1 asks a small model for a title of each new thread and does not report that usage. " +
      "It reports the usage of the turns exactly. See its recording meters-over-three-turns-and-a-resume.",
  },
};
