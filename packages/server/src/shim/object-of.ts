/** Something that is to be an object on the wire, whatever the agent had in its place. */
export function objectOf(input: unknown): Readonly<Record<string, unknown>> {
  if (input === undefined || input === null) return {};
  if (typeof input === "object" && !Array.isArray(input)) return input as Readonly<Record<string, unknown>>;
  return { value: input };
}
