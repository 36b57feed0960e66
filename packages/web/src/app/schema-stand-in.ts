/**
 * Replaces zod in the page (see `vite.config.ts`). The page validates nothing: the service builds its replies with the schemas.
 * zod and the creation of some hundred schemas would be a quarter of the code that the first view waits for.
 */
export const z: unknown = creator("z");

/** A function that creates schemas, such as `z.enum`, or has such functions, such as `z.iso`. */
function creator(name: string): unknown {
  const create = (content?: unknown): object => standIn(name === "enum" ? { options: content } : { shape: content });
  return new Proxy(create, { get: (_, inner) => creator(String(inner)) });
}

interface Facts {
  /** The values of an enumeration. */
  readonly options?: unknown;
  /** The fields of an object. */
  readonly shape?: unknown;
}

/** A schema that has its values and fields, and cannot check anything. */
function standIn(facts: Facts): object {
  const schema: object = new Proxy(facts, {
    get(_, name) {
      if (name === "options" || name === "shape") return facts[name];
      if (name === "extend") return (shape: object) => standIn({ shape: { ...(facts.shape as object), ...shape } });
      if (name === "parse" || name === "safeParse") throw new Error("The page has no schemas.");
      // Everything else narrows the schema, such as `optional` and `min`.
      return () => schema;
    },
  });
  return schema;
}
