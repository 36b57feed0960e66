import type { KnownFailures } from "@fairlead/conformance";

/** Clauses that adapters of this house are known to break, each with the reason. An entry that is not true fails. */
export const knownFailures: Readonly<Record<string, KnownFailures>> = {};
