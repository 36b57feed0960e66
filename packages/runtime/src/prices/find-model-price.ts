import type { ModelPrice } from "@fairlead/contract";

/** The version of the price list, and the day on which it was published. A test compares the version with the package. */
export const priceListVersion = "0.1.8";
export const pricesAsOf = "2026-09-23";

/** Names for a host that is not known. The price is then that of the model's maker. */
const unknownProviders: ReadonlySet<string> = new Set(["", "unknown"]);

/** A search takes 0.3 ms, and a list of sessions has as many. The agents choose the names of models. */
const maxFound = 1000;
const found = new Map<string, ModelPrice | null>();

/**
 * Finds the list price of a model. Null for a model or a host that the list lacks. Where the price rises with the length of
 * the input, returns the lower one.
 */
export async function findModelPrice(provider: string, model: string): Promise<ModelPrice | null> {
  const key = JSON.stringify([provider, model]);
  const known = found.get(key);
  if (known !== undefined) return known;
  const price = await searchList(provider, model);
  if (found.size >= maxFound) found.clear();
  found.set(key, price);
  return price;
}

async function searchList(provider: string, model: string): Promise<ModelPrice | null> {
  // Loaded when needed: the list is large.
  const { calcPrice } = await import("@pydantic/genai-prices");
  const options = unknownProviders.has(provider) ? {} : { providerId: provider };
  const listed = calcPrice({ input_tokens: 1, output_tokens: 1 }, model, options)?.model_price;
  if (listed === undefined) return null;
  const uncached = basePrice(listed["input_mtok"]);
  const output = basePrice(listed["output_mtok"]);
  if (uncached === null || output === null) return null;
  return {
    uncached,
    output,
    cacheRead: basePrice(listed["cache_read_mtok"]) ?? uncached,
    cacheWrite: basePrice(listed["cache_write_mtok"]) ?? uncached,
  };
}

function basePrice(price: number | { readonly base: number } | undefined): number | null {
  if (price === undefined) return null;
  return typeof price === "number" ? price : price.base;
}
