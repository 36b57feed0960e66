import type { Tokens } from "@fairlead/contract";

/** The tokens of a meter whose input includes what came from a cache or went to one. */
export function inclusiveTokens(used: { readonly input: number } & Omit<Tokens, "uncached">): Tokens {
  const { input, ...others } = used;
  return { uncached: Math.max(0, input - others.cacheRead - others.cacheWrite), ...others };
}
