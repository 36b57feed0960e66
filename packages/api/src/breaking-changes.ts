import type { JsonSchema, OpenApiDocument, OpenApiOperation } from "./openapi.ts";

/** Whether a schema describes a request or a response. The same change can break one and not the other. */
type SchemaDirection = "request" | "response";

/**
 * Lists the changes that break existing clients, one sentence each: removals and new requirements. Additions are
 * compatible.
 */
export function findBreakingChanges(old: OpenApiDocument, next: OpenApiDocument): string[] {
  const comparison = new OpenApiComparison(old, next);
  for (const [path, operations] of Object.entries(old.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      comparison.compareOperation(`${method.toUpperCase()} ${path}`, operation, next.paths[path]?.[method]);
    }
  }
  return [...comparison.changes];
}

class OpenApiComparison {
  readonly changes = new Set<string>();
  readonly #old: OpenApiDocument;
  readonly #next: OpenApiDocument;

  constructor(old: OpenApiDocument, next: OpenApiDocument) {
    this.#old = old;
    this.#next = next;
  }

  compareOperation(label: string, old: OpenApiOperation, next: OpenApiOperation | undefined): void {
    if (!next) return this.#report(`${label} was removed.`);
    const [oldScope, nextScope] = [old["x-scope"], next["x-scope"]];
    if (oldScope !== nextScope) this.#report(`${label} requires the scope ${nextScope} instead of ${oldScope}.`);
    for (const { name } of old.parameters) {
      if (!next.parameters.some((candidate) => candidate.name === name))
        this.#report(`${label} no longer takes the parameter ${name}.`);
    }
    for (const { name, required } of next.parameters) {
      const oldParameter = old.parameters.find((candidate) => candidate.name === name);
      if (required && !oldParameter?.required) this.#report(`${label} now requires the parameter ${name}.`);
    }
    this.#compareContents(`${label} request`, "request", old.requestBody?.content, next.requestBody?.content);
    for (const [status, { content }] of Object.entries(old.responses)) {
      const response = next.responses[status];
      if (response) this.#compareContents(`${label} response`, "response", content, response.content);
      else this.#report(`${label} no longer responds with ${status}.`);
    }
  }

  #compareContents(
    label: string,
    direction: SchemaDirection,
    old: OpenApiOperation["responses"][string]["content"],
    next: typeof old,
  ): void {
    if (direction === "request" && !old && next) this.#report(`${label} now requires a body.`);
    for (const [media, { schema }] of Object.entries(old ?? {})) {
      const nextSchema = next?.[media]?.schema;
      if (nextSchema) this.#compareSchemas(label, direction, schema, nextSchema);
      else this.#report(`${label} no longer has the media type ${media}.`);
    }
  }

  #compareSchemas(label: string, direction: SchemaDirection, oldSchema: JsonSchema, nextSchema: JsonSchema): void {
    const [old, next] = [resolveReference(this.#old, oldSchema), resolveReference(this.#next, nextSchema)];
    const [before, after] = [optionsOf(old), optionsOf(next)];
    const isUnion = Math.max(before.length, after.length) > 1;
    for (const option of before) {
      const kind = kindOf(option, isUnion);
      const match = after.find((candidate) => kindOf(candidate, isUnion) === kind);
      if (match) this.#compareOption(label, direction, option, match);
      else this.#report(`${label} no longer includes ${kind}.`);
    }
  }

  #compareOption(label: string, direction: SchemaDirection, old: JsonSchema, next: JsonSchema): void {
    const values = new Set(valuesOf(next));
    // A new schema without a list of values allows all of them.
    for (const value of values.size > 0 ? valuesOf(old) : []) {
      if (!values.has(value)) this.#report(`${label} no longer allows the value ${JSON.stringify(value)}.`);
    }
    const [oldObject, nextObject] = [fieldsOf(old), fieldsOf(next)];
    for (const [name, schema] of Object.entries(oldObject.fields)) {
      const nextSchema = nextObject.fields[name];
      if (!nextSchema) this.#report(`${label} no longer has the field ${name}.`);
      else this.#compareSchemas(`${label}, field ${name}`, direction, schema, nextSchema);
      const becameOptional = oldObject.required.has(name) && !nextObject.required.has(name);
      if (nextSchema && direction === "response" && becameOptional) {
        this.#report(`${label} no longer always has the field ${name}.`);
      }
    }
    for (const name of direction === "request" ? nextObject.required : []) {
      if (!oldObject.required.has(name)) this.#report(`${label} now requires the field ${name}.`);
    }
    if (isSchema(old["items"]) && isSchema(next["items"]))
      this.#compareSchemas(`${label}, each item`, direction, old["items"], next["items"]);
  }

  #report(sentence: string): void {
    this.changes.add(sentence);
  }
}

function resolveReference(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined;
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

function optionsOf(schema: JsonSchema): readonly JsonSchema[] {
  const options = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(options)) return [schema];
  const all = (options as JsonSchema[]).flatMap(optionsOf);
  // An enumeration beside a constant has the same meaning as a longer enumeration.
  const values = all.flatMap(valuesOf);
  const others = all.filter((option) => valuesOf(option).length === 0);
  return all.length - others.length < 2 ? all : [...others, { type: typeof values[0], enum: values }];
}

/** Identifies an option of a union by the constant of its `type` or `kind`, else by its first field, else by its JSON type. */
function kindOf(schema: JsonSchema, isUnion: boolean): string {
  const { fields } = fieldsOf(schema);
  const constant = (fields["type"] ?? fields["kind"])?.["const"];
  if (typeof constant === "string") return constant;
  const [first] = Object.keys(fields);
  if (isUnion && first !== undefined) return `{${first}}`;
  return typeof schema["type"] === "string" ? schema["type"] : "anything";
}

function valuesOf(schema: JsonSchema): readonly unknown[] {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : [];
}

function fieldsOf(schema: JsonSchema): { fields: Readonly<Record<string, JsonSchema>>; required: ReadonlySet<string> } {
  const fields = isSchema(schema["properties"]) ? (schema["properties"] as Record<string, JsonSchema>) : {};
  return { fields, required: new Set(Array.isArray(schema["required"]) ? (schema["required"] as string[]) : []) };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}
