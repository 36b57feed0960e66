import type { Capability } from "../capability.ts";

/** One requirement of an adapter. The conformance judge fails a missed `must` and only reports a missed `should`. */
export interface Clause {
  readonly level: "must" | "should";
  readonly statement: string;
  /** The judge applies the clause only to agents that declare all of these. An observed but undeclared one is drift. */
  readonly needs?: readonly Capability[];
  /** The judge applies the clause only to agents that declare none of these. */
  readonly lacks?: readonly Capability[];
}

/** Returns whether the judge applies a clause to an agent that declares these capabilities. */
export function appliesTo(
  { needs = [], lacks = [] }: Pick<Clause, "needs" | "lacks">,
  declared: readonly Capability[],
): boolean {
  return needs.every((one) => declared.includes(one)) && !lacks.some((one) => declared.includes(one));
}
