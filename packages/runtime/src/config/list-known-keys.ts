import { z } from "zod";

/** Lists the keys that an object may have at a path of a schema. Empty if they are not fixed there. */
export function listKnownKeys(schema: unknown, path: readonly PropertyKey[]): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return listKnownKeys(schema.def.innerType, path);
  if (schema instanceof z.ZodPipe) return listKnownKeys(schema.def.out, path);
  if (schema instanceof z.ZodUnion)
    return [...new Set(schema.def.options.flatMap((option: unknown) => listKnownKeys(option, path)))];
  const [step, ...others] = path;
  if (schema instanceof z.ZodArray) return step === undefined ? [] : listKnownKeys(schema.def.element, others);
  if (!(schema instanceof z.ZodObject)) return [];
  const shape = schema.def.shape as Readonly<Record<PropertyKey, unknown>>;
  return step === undefined ? Object.keys(shape) : listKnownKeys(shape[step], others);
}

/** Lists the keys of an object that must be there. */
export function listRequiredKeys(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape).flatMap(([key, value]) =>
    (value as z.ZodType).safeParse(undefined).success ? [] : [key],
  );
}
