import { code } from "./markdown-table.ts";

/** The part of a JSON Schema that the tables show. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: FieldSchema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** A value of zod that can be converted to a JSON Schema. */
export interface SchemaSource {
  toJSONSchema(options?: { readonly io?: "input" | "output"; readonly unrepresentable?: "any" }): object;
}

/** A field of an object, named with dots if it is nested. */
export interface SchemaField {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Null if the field has no default. */
  readonly defaultValue: string | null;
  readonly description: string;
}

/** Lists the fields of an object's schema as a caller writes them. The fields of a nested object follow it. */
export function listFields(source: SchemaSource): SchemaField[] {
  return fieldsOf(toFieldSchema(source), "");
}

/** Converts a zod schema to the form that a caller writes, in which a field with a default is optional. */
export function toFieldSchema(source: SchemaSource): FieldSchema {
  return source.toJSONSchema({ io: "input", unrepresentable: "any" });
}

function fieldsOf({ properties = {}, required = [] }: FieldSchema, prefix: string): SchemaField[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const field = {
      name,
      type: describeType(schema),
      isRequired: required.includes(key),
      defaultValue: schema.default === undefined ? null : JSON.stringify(schema.default),
      description: schema.description ?? "",
    };
    return [field, ...fieldsOf(schema, `${name}.`)];
  });
}

/** Describes the values of a schema in words. */
export function describeType(schema: FieldSchema): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(" · ");
  if (schema.anyOf !== undefined) return describeUnion(schema.anyOf);
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (schema.type === "array") return `list of ${pluralize(describeType(schema.items ?? {}))}`;
  if (schema.type === "integer" || schema.type === "number") return describeNumber(schema);
  if (schema.type === undefined) return "any value";
  if (schema.type !== "object") return String(schema.type);
  const { additionalProperties } = schema;
  if (schema.properties !== undefined || typeof additionalProperties !== "object") return "object";
  return `map to ${pluralize(describeType(additionalProperties))}`;
}

function describeUnion(schemas: readonly FieldSchema[]): string {
  const types = [...new Set(schemas.map(describeType))];
  return [types.slice(0, -1).join(", "), ...types.slice(-1)].filter(Boolean).join(" or ");
}

/** Makes the first word plural if it is the name of a type. */
function pluralize(type: string): string {
  return type.replace(/^(?:string|integer|number|boolean|object|map|list|any value)\b/, "$&s");
}

function describeNumber({ type, minimum, maximum, exclusiveMinimum }: FieldSchema): string {
  const isLimit = (value: number | undefined): value is number =>
    value !== undefined && Number.isFinite(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const limits = [
    ...(isLimit(exclusiveMinimum) ? [`> ${exclusiveMinimum}`] : []),
    ...(isLimit(minimum) ? [`≥ ${minimum}`] : []),
    ...(isLimit(maximum) ? [`≤ ${maximum}`] : []),
  ];
  return [String(type), limits.join(", ")].filter(Boolean).join(" ");
}
