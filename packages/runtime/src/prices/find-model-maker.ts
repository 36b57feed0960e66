/**
 * Finds who makes a model, by its name. Null for a model that the price list lacks. Agents report a fixed provider, or the
 * name that a user gave to an address, so that only the model says who answered.
 */
export async function findModelMaker(model: string): Promise<string | null> {
  // Loaded when needed: the list is large.
  const { findProvider } = await import("@pydantic/genai-prices");
  return findProvider({ modelId: model })?.id ?? null;
}
