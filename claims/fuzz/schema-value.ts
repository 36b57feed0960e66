import type { SeededRandom } from "../../measure/seeded-random.ts";
import { hostileValue } from "./hostile-values.ts";

/** The parts of a JSON Schema that the API's schemas use. */
export interface ValueSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ValueSchema[];
  readonly oneOf?: readonly ValueSchema[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: ValueSchema | boolean;
  readonly items?: ValueSchema;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Values that mean something to the service, by the name of their field. */
export type KnownValues = Readonly<Record<string, readonly [unknown, ...unknown[]]>>;

/** Creates a value that a schema accepts. Fields with known values get one of these. */
export function createValue(schema: ValueSchema, known: KnownValues, random: SeededRandom, name = ""): unknown {
  const knownValues = Object.hasOwn(known, name) ? known[name] : undefined;
  if (knownValues !== undefined) return random.pick(knownValues);
  if ("const" in schema) return schema.const;
  const choices = schema.anyOf ?? schema.oneOf;
  if (schema.enum !== undefined) return schema.enum[random.nextBelow(schema.enum.length)];
  if (choices !== undefined) return createValue(choices[random.nextBelow(choices.length)] ?? {}, known, random, name);
  switch (schema.type) {
    case "object":
      return createObject(schema, known, random);
    case "array":
      return Array.from({ length: random.nextBelow(3) }, () => createValue(schema.items ?? {}, known, random));
    case "string":
      return random.pick(["a", "A word.", "two\nlines", "\u{1f600}", "x".repeat(200)]);
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 1000, random.nextBelow(300)));
    case "boolean":
      return random.nextBelow(2) === 0;
    case "null":
      return null;
    default:
      return hostileValue(random); // any value is accepted
  }
}

function createObject(schema: ValueSchema, known: KnownValues, random: SeededRandom): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  // A field with known values is always there: without a name, sessions would pile up.
  const isPresent = (name: string): boolean =>
    required.includes(name) || Object.hasOwn(known, name) || random.nextBelow(2) === 0;
  const entries = Object.entries(properties)
    .filter(([name]) => isPresent(name))
    .map(([name, property]): [string, unknown] => [name, createValue(property, known, random, name)]);
  if (typeof additionalProperties === "object" && random.nextBelow(2) === 0)
    entries.push(["key", createValue(additionalProperties, known, random)]);
  return Object.fromEntries(entries);
}
