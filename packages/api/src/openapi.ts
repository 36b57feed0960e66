import { ReadEvent, TerminalSize } from "@fairlead/contract";
import { z } from "zod";
import { Checkpoint } from "./checkpoint.ts";
import { EventPage, Frame } from "./frames.ts";
import { AnswerRequest, ForkRequest, ResumeRequest, MessageRequest, StartRequest } from "./requests.ts";
import { Problem, problemMediaType } from "./problem.ts";
import { type Route, routes } from "./routes.ts";
import { SessionPage } from "./session-query.ts";
import { AgentView } from "./views/agent.ts";
import { DecisionView } from "./views/decision.ts";
import { Diff, FileView } from "./views/file.ts";
import { CodeExchange, CodeRequest, CodeView, GrantView, SignedInView } from "./views/grant.ts";
import { Health } from "./views/health.ts";
import { OverviewFrame, OverviewMessage } from "./views/overview.ts";
import { SearchPage } from "./views/search.ts";
import { SessionView } from "./views/session.ts";
import { TurnPage } from "./views/turns.ts";
import { UsageBucket, UsageView } from "./views/usage.ts";

/** A JSON Schema. */
export type JsonSchema = { readonly [key: string]: unknown };

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  /** The scope that a token must have; `any` if every token is accepted, and `none` if no token is needed. */
  readonly "x-scope": string;
  /** Empty for a route that needs no token. */
  readonly security?: readonly JsonSchema[];
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: JsonSchema }[];
  readonly requestBody?: { required: boolean; content: MediaContent };
  readonly responses: Readonly<Record<string, { description: string; content?: MediaContent }>>;
}

type MediaContent = Readonly<Record<string, { schema: JsonSchema }>>;

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly securitySchemes: JsonSchema };
  readonly security: readonly JsonSchema[];
}

/** Requests and responses have separate lists, because a field with a default is optional only in a request. */
const sessionRequests = { StartRequest, ResumeRequest, ForkRequest, MessageRequest, AnswerRequest, TerminalSize };
const requestSchemas = { ...sessionRequests, CodeRequest, CodeExchange };
const viewSchemas = {
  Health,
  AgentView,
  SessionView,
  SessionPage,
  DecisionView,
  FileView,
  Diff,
  UsageView,
  UsageBucket,
  TurnPage,
  SearchPage,
};
const accessSchemas = { GrantView, CodeView, SignedInView };
const frameSchemas = { Frame, OverviewFrame, OverviewMessage };
const responseSchemas = {
  ...viewSchemas,
  ...accessSchemas,
  Checkpoint,
  Event: ReadEvent,
  EventPage,
  ...frameSchemas,
  Problem,
};

/** Builds the OpenAPI 3.1 document from the route table. */
export function buildOpenApi(): OpenApiDocument {
  const components = { ...toNamedSchemas(requestSchemas, "input"), ...toNamedSchemas(responseSchemas, "output") };
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: buildOperation(name, route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Fairlead",
      version: "1",
      description:
        "Readers must ignore unknown fields of replies and frames. The service rejects unknown fields of requests.",
    },
    paths,
    components: { schemas: components, securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    security: [{ bearer: [] }],
  };
}

function buildOperation(name: string, route: Route): OpenApiOperation {
  const streamContent =
    name === "events" ? { "text/event-stream": { schema: toSchemaOrReference(Frame, "output") } } : {};
  const successResponses = route.reply
    ? {
        "200": {
          description: "Success.",
          content: { [route.media]: { schema: toSchemaOrReference(route.reply, "output") }, ...streamContent },
        },
      }
    : { "204": { description: "Success." } };
  return {
    operationId: name,
    summary: route.summary,
    "x-scope": route.scope,
    ...(route.scope === "none" && { security: [] }),
    parameters: [...pathParameters(route), ...queryParameters(route), ...keyParameter(route)],
    ...(route.body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: toSchemaOrReference(route.body, "input") } },
      },
    }),
    responses: {
      ...successResponses,
      default: {
        description: "Error.",
        content: { [problemMediaType]: { schema: toSchemaOrReference(Problem, "output") } },
      },
    },
  };
}

function pathParameters({ path }: Route): OpenApiOperation["parameters"] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

function queryParameters({ query }: Route): OpenApiOperation["parameters"] {
  const { properties = {}, required = [] } = query ? toJsonSchema(query, "input") : {};
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => {
    return { name, in: "query", required: (required as string[]).includes(name), schema };
  });
}

function keyParameter({ command }: Route): OpenApiOperation["parameters"] {
  return command ? [{ name: "Idempotency-Key", in: "header", required: false, schema: { type: "string" } }] : [];
}

/** Returns a reference for a named schema, an array of references for an array, or else the schema itself. */
function toSchemaOrReference(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const name = Object.entries<z.ZodType>({ ...requestSchemas, ...responseSchemas }).find(
    ([, candidate]) => candidate === schema,
  )?.[0];
  if (name) return { $ref: referenceTo(name) };
  if (schema instanceof z.ZodArray)
    return { type: "array", items: toSchemaOrReference(schema.element as z.ZodType, io) };
  return toJsonSchema(schema, io);
}

function toNamedSchemas(
  schemasByName: Readonly<Record<string, z.ZodType>>,
  io: "input" | "output",
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemasByName)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { ...conversionOptions(io), uri: referenceTo });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, omitDocumentKeys(schema)]));
}

function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return omitDocumentKeys(z.toJSONSchema(schema, conversionOptions(io)));
}

const referenceTo = (name: string): string => `#/components/schemas/${name}`;

function conversionOptions(io: "input" | "output") {
  return {
    io,
    unrepresentable: "any",
    // Responses may gain fields in later versions, so clients must not reject unknown ones.
    override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  } as const;
}

/** Removes the keys that only a standalone schema document has. */
function omitDocumentKeys(schema: z.core.JSONSchema.BaseSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !["$schema", "$id", "id"].includes(key)));
}
