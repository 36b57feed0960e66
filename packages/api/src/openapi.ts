import { Event, TerminalSize } from "@fairlead/contract";
import { z } from "zod";
import { Checkpoint } from "./checkpoint.ts";
import { EventPage, Frame } from "./frames.ts";
import { Decide, Fork, Resume, Say, Start } from "./orders.ts";
import { Problem, problemMedia } from "./problem.ts";
import { type Route, routes } from "./routes.ts";
import { AgentView } from "./views/agent.ts";
import { DecisionView } from "./views/decision.ts";
import { Diff, FileView } from "./views/file.ts";
import { Health } from "./views/health.ts";
import { SessionView } from "./views/session.ts";
import { UsageView } from "./views/usage.ts";

/** A schema as JSON has it. */
export type JsonSchema = { readonly [key: string]: unknown };

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  /** What a token must be good for. */
  readonly "x-scope": string;
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: JsonSchema }[];
  readonly requestBody?: { required: boolean; content: Content };
  readonly responses: Readonly<Record<string, { description: string; content?: Content }>>;
}

type Content = Readonly<Record<string, { schema: JsonSchema }>>;

export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly securitySchemes: JsonSchema };
  readonly security: readonly JsonSchema[];
}

/** What is asked for and what is told are named apart, since a default is optional only to whoever asks. */
const asked = { Start, Resume, Fork, Say, Decide, TerminalSize };
const views = { Health, AgentView, SessionView, DecisionView, FileView, Diff, UsageView };
const told = { ...views, Checkpoint, Event, EventPage, Frame, Problem };

/** The routes as OpenAPI 3.1. There is no other source of it, and nothing in it is written by hand. */
export function openapi(): OpenApi {
  const components = { ...schemasOf(asked, "input"), ...schemasOf(told, "output") };
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(name, route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Fairlead",
      version: "1",
      description:
        "Replies and frames may gain fields: readers pass over what they do not know. Requests are read strictly.",
    },
    paths,
    components: { schemas: components, securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    security: [{ bearer: [] }],
  };
}

function operationOf(name: string, route: Route): Operation {
  const streams = name === "events" ? { "text/event-stream": { schema: schemaOf(Frame, "output") } } : {};
  const done = route.reply
    ? {
        "200": {
          description: "Done.",
          content: { [route.media]: { schema: schemaOf(route.reply, "output") }, ...streams },
        },
      }
    : { "204": { description: "Done." } };
  return {
    operationId: name,
    summary: route.says,
    "x-scope": route.scope,
    parameters: [...pathParameters(route), ...queryParameters(route), ...keyParameter(route)],
    ...(route.body && {
      requestBody: { required: true, content: { "application/json": { schema: schemaOf(route.body, "input") } } },
    }),
    responses: {
      ...done,
      default: {
        description: "What went wrong.",
        content: { [problemMedia]: { schema: schemaOf(Problem, "output") } },
      },
    },
  };
}

function pathParameters({ path }: Route): Operation["parameters"] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

function queryParameters({ query }: Route): Operation["parameters"] {
  const { properties = {}, required = [] } = query ? jsonOf(query, "input") : {};
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => {
    return { name, in: "query", required: (required as string[]).includes(name), schema };
  });
}

function keyParameter({ command }: Route): Operation["parameters"] {
  return command ? [{ name: "Idempotency-Key", in: "header", required: false, schema: { type: "string" } }] : [];
}

/** A reference where the schema has a name, a list of them, or the schema itself. */
function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const name = Object.entries<z.ZodType>({ ...asked, ...told }).find(([, one]) => one === schema)?.[0];
  if (name) return { $ref: referenceTo(name) };
  if (schema instanceof z.ZodArray) return { type: "array", items: schemaOf(schema.element as z.ZodType, io) };
  return jsonOf(schema, io);
}

function schemasOf(named: Readonly<Record<string, z.ZodType>>, io: "input" | "output"): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { ...rules(io), uri: referenceTo });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

function jsonOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return bare(z.toJSONSchema(schema, rules(io)));
}

const referenceTo = (name: string): string => `#/components/schemas/${name}`;

function rules(io: "input" | "output") {
  return {
    io,
    unrepresentable: "any",
    // What is told may grow; so nobody is invited to refuse what he does not know.
    override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  } as const;
}

/** Without what only a document of its own has. */
function bare(schema: z.core.JSONSchema.BaseSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !["$schema", "$id", "id"].includes(key)));
}
