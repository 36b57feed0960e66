import type { JsonSchema, OpenApi, Operation } from "./openapi.ts";

/** Whether a schema is of what callers say or of what they are told: the same change can break one and not the other. */
type Side = "asked" | "told";

/**
 * What somebody who relies on the old form would trip over in the new one, a sentence each: what is gone, and what is
 * newly demanded. What is only added breaks nobody.
 */
export function breakingChanges(old: OpenApi, next: OpenApi): string[] {
  const comparison = new Comparison(old, next);
  for (const [path, operations] of Object.entries(old.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      comparison.operation(`${method.toUpperCase()} ${path}`, operation, next.paths[path]?.[method]);
    }
  }
  return [...comparison.found];
}

class Comparison {
  readonly found = new Set<string>();
  readonly #old: OpenApi;
  readonly #next: OpenApi;

  constructor(old: OpenApi, next: OpenApi) {
    this.#old = old;
    this.#next = next;
  }

  operation(at: string, old: Operation, next: Operation | undefined): void {
    if (!next) return this.#say(`${at} is gone.`);
    const [was, is] = [old["x-scope"], next["x-scope"]];
    if (was !== is) this.#say(`${at} needs the scope ${is}, not ${was}.`);
    for (const { name } of old.parameters) {
      if (!next.parameters.some((one) => one.name === name)) this.#say(`${at} no longer takes ${name}.`);
    }
    for (const { name, required } of next.parameters) {
      const before = old.parameters.find((one) => one.name === name);
      if (required && !before?.required) this.#say(`${at} now demands ${name}.`);
    }
    this.#contents(`${at} asks for`, "asked", old.requestBody?.content, next.requestBody?.content);
    for (const [status, { content }] of Object.entries(old.responses)) {
      const answer = next.responses[status];
      if (answer) this.#contents(`${at} tells`, "told", content, answer.content);
      else this.#say(`${at} no longer answers with ${status}.`);
    }
  }

  #contents(at: string, side: Side, old: Operation["responses"][string]["content"], next: typeof old): void {
    if (side === "asked" && !old && next) this.#say(`${at} a body, newly.`);
    for (const [media, { schema }] of Object.entries(old ?? {})) {
      const now = next?.[media]?.schema;
      if (now) this.#schema(at, side, schema, now);
      else this.#say(`${at} nothing as ${media} any more.`);
    }
  }

  #schema(at: string, side: Side, oldSchema: JsonSchema, nextSchema: JsonSchema): void {
    const [old, next] = [resolve(this.#old, oldSchema), resolve(this.#next, nextSchema)];
    const [before, after] = [optionsOf(old), optionsOf(next)];
    const several = Math.max(before.length, after.length) > 1;
    for (const option of before) {
      const kind = kindOf(option, several);
      const match = after.find((one) => kindOf(one, several) === kind);
      if (match) this.#one(at, side, option, match);
      else this.#say(`${at} no longer ${kind}.`);
    }
  }

  #one(at: string, side: Side, old: JsonSchema, next: JsonSchema): void {
    const values = new Set(valuesOf(next));
    // A new schema without a list of values takes them all.
    for (const value of values.size > 0 ? valuesOf(old) : []) {
      if (!values.has(value)) this.#say(`${at} no longer the value ${JSON.stringify(value)}.`);
    }
    const [was, is] = [fieldsOf(old), fieldsOf(next)];
    for (const [name, schema] of Object.entries(was.fields)) {
      const now = is.fields[name];
      if (!now) this.#say(`${at} ${name} no longer.`);
      else this.#schema(`${at} ${name}:`, side, schema, now);
      if (now && side === "told" && was.required.has(name) && !is.required.has(name)) {
        this.#say(`${at} ${name} no longer always.`);
      }
    }
    for (const name of side === "asked" ? is.required : []) {
      if (!was.required.has(name)) this.#say(`${at} ${name}, which is newly required.`);
    }
    if (isSchema(old["items"]) && isSchema(next["items"]))
      this.#schema(`${at} each:`, side, old["items"], next["items"]);
  }

  #say(sentence: string): void {
    this.found.add(sentence);
  }
}

function resolve(document: OpenApi, schema: JsonSchema): JsonSchema {
  const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined;
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

function optionsOf(schema: JsonSchema): readonly JsonSchema[] {
  const options = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(options) ? (options as JsonSchema[]).flatMap(optionsOf) : [schema];
}

/** What is recognised as the same: by its `type` or, where it is one of several, by its first field; else by its JSON type. */
function kindOf(schema: JsonSchema, several: boolean): string {
  const { fields } = fieldsOf(schema);
  const constant = fields["type"]?.["const"];
  if (typeof constant === "string") return constant;
  const [first] = Object.keys(fields);
  if (several && first !== undefined) return `{${first}}`;
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
