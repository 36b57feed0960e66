import { z } from "zod";
import type { TokenCounts } from "../events/report.ts";

/** The price of a model's tokens, in US dollars per million. */
export const ModelPrice = z.strictObject({
  uncached: z.number().nonnegative(),
  cacheRead: z.number().nonnegative(),
  cacheWrite: z.number().nonnegative(),
  output: z.number().nonnegative(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** Computes what tokens cost at a price, in US dollars. Reasoning is a part of the output. */
export function costOfTokens(price: ModelPrice, tokens: TokenCounts): number {
  const { uncached, cacheRead, cacheWrite, output } = tokens;
  const millionths =
    uncached * price.uncached + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite + output * price.output;
  return millionths / 1_000_000;
}
