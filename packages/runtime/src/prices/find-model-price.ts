import type { ModelPrice } from "@fairlead/contract";

/** The version of the price list, and the day on which it was published. A test compares the version with the package. */
export const priceListVersion = "0.1.8";
export const pricesAsOf = "2026-09-23";

/** Names for a host that is not known. The price is then that of the model's maker. */
const unknownProviders: ReadonlySet<string> = new Set(["", "unknown"]);

/**
 * Finds the list price of a model. Null for a model or a host that the list lacks. Where the price rises with the length of
 * the input, returns the lower one.
 */
export async function findModelPrice(provider: string, model: string): Promise<ModelPrice | null> {
  // Loaded when needed: the list is large.
  const { calcPrice } = await import("@pydantic/genai-prices");
  const options = unknownProviders.has(provider) ? {} : { providerId: provider };
  const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, model, options)?.model_price;
  if (found === undefined) return null;
  const uncached = basePrice(found["input_mtok"]);
  const output = basePrice(found["output_mtok"]);
  if (uncached === null || output === null) return null;
  return {
    uncached,
    output,
    cacheRead: basePrice(found["cache_read_mtok"]) ?? uncached,
    cacheWrite: basePrice(found["cache_write_mtok"]) ?? uncached,
  };
}

function basePrice(price: number | { readonly base: number } | undefined): number | null {
  if (price === undefined) return null;
  return typeof price === "number" ? price : price.base;
}
