import type { z } from "zod";
import type { CallerOptions, CommandOptions, Fairlead } from "./fairlead.ts";
import type { ArgumentSource, BodyOf, ReplyOf, RouteName, routes } from "./routes.ts";

type RouteTable = typeof routes;

/** The routes that call a method of `Fairlead`. */
export type MethodRouteName = { [Name in RouteName]: RouteTable[Name]["args"] extends null ? never : Name }[RouteName];

/** The method routes that are commands. */
export type CommandRouteName = {
  [Name in MethodRouteName]: RouteTable[Name]["command"] extends true ? Name : never;
}[MethodRouteName];

/** The parts of a request that become arguments. */
export interface RequestParts {
  readonly session?: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

type ParsedBy<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;
type FieldOf<Value, Field> = Field extends keyof Value ? Value[Field] : never;

type ParsedArgument<Name extends RouteName, Source> = Source extends "session"
  ? string
  : Source extends "body"
    ? ParsedBy<RouteTable[Name]["body"]>
    : Source extends `body.${infer Field}`
      ? FieldOf<ParsedBy<RouteTable[Name]["body"]>, Field>
      : Source extends "query"
        ? ParsedBy<RouteTable[Name]["query"]>
        : Source extends `query.${infer Field}`
          ? FieldOf<ParsedBy<RouteTable[Name]["query"]>, Field>
          : never;

/** `collectArguments` sends an empty object for a body or a query that is left out, if the schema accepts one. */
type OptionalObject<Value> = object extends Value ? Value | undefined : Value;

type SentArgument<Name extends RouteName, Source> = Source extends "body"
  ? OptionalObject<BodyOf<Name>>
  : Source extends "query"
    ? OptionalObject<ParsedBy<RouteTable[Name]["query"]>>
    : Source extends `body.${infer Field}`
      ? FieldOf<BodyOf<Name>, Field>
      : ParsedArgument<Name, Source>;

type ParsedList<Name extends RouteName, Sources> = {
  -readonly [Index in keyof Sources]: ParsedArgument<Name, Sources[Index]>;
};
type SentList<Name extends RouteName, Sources> = {
  -readonly [Index in keyof Sources]: SentArgument<Name, Sources[Index]>;
};
type AsTuple<List> = List extends readonly unknown[] ? List : never;

/** The arguments that the server reads from a parsed request, without the options of a command. */
export type ParsedArguments<Name extends MethodRouteName> = AsTuple<ParsedList<Name, RouteTable[Name]["args"]>>;

/** The arguments that a client can send, without the options of a command. */
type SentArguments<Name extends MethodRouteName> = AsTuple<SentList<Name, RouteTable[Name]["args"]>>;

type OptionsArgument<Name extends MethodRouteName> = Name extends CommandRouteName
  ? [options?: CommandOptions]
  : RouteTable[Name]["promptsAgent"] extends true
    ? [options?: CallerOptions]
    : [];

/** The methods that the server calls. `Fairlead` must be assignable to it, or the route table is wrong. */
export type ServedMethods = {
  readonly [Name in MethodRouteName]: (
    ...args: [...ParsedArguments<Name>, ...OptionsArgument<Name>]
  ) => Promise<Readonly<ReplyOf<Name>>>;
};

/** The methods that a client can build. It must be assignable to `FairleadMethods`, or the route table is wrong. */
export type ClientMethods = {
  readonly [Name in MethodRouteName]: (
    ...args: [...SentArguments<Name>, ...OptionsArgument<Name>]
  ) => Promise<ReplyOf<Name>>;
};

/** The methods of `Fairlead` that have a route, as function types, so that the compiler checks parameters strictly. */
export type FairleadMethods = {
  readonly [Name in MethodRouteName]: (...args: Parameters<Fairlead[Name]>) => ReturnType<Fairlead[Name]>;
};

/** Reads the arguments of a method from a request. The inverse of `collectArguments`. */
export function readArguments(sources: readonly ArgumentSource[], { session, body, query }: RequestParts): unknown[] {
  return sources.map((source) => {
    if (source === "session") return session;
    if (source === "body") return body;
    if (source === "query") return query;
    const [part, field = ""] = source.split(".");
    return ((part === "body" ? body : query) as Readonly<Record<string, unknown>>)[field];
  });
}

/** Collects the arguments of a method into a request. Leaves out undefined query parameters; joins lists with commas. */
export function collectArguments(sources: readonly ArgumentSource[], args: readonly unknown[]): RequestParts {
  const parts: { session?: string; body?: unknown; query?: Record<string, unknown> } = {};
  for (const [index, source] of sources.entries()) {
    const value = args[index];
    const [part, field = ""] = source.split(".");
    if (source === "session") parts.session = value as string;
    else if (source === "body") parts.body = value ?? {};
    else if (source === "query") parts.query = encodeQuery(value ?? {});
    else if (part === "body") parts.body = { ...(parts.body as object | undefined), [field]: value };
    else if (value !== undefined) parts.query = { ...parts.query, [field]: value };
  }
  return parts;
}

function encodeQuery(query: object): Record<string, unknown> {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(parameters.map(([name, value]) => [name, String(value)]));
}
