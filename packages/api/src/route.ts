import type { z } from "zod";
import type { RouteScope } from "./scope.ts";

/** A part of a request that is passed to a `Fairlead` method as one argument. */
export type ArgumentSource = "session" | "body" | `body.${string}` | "query" | `query.${string}`;

/** An HTTP route as data. The server's handlers, the client's methods and the OpenAPI document are built from it. */
export interface Route {
  readonly method: "GET" | "POST";
  /** Literal segments and `:session`. Clients never percent-encode a segment. */
  readonly path: `/v1/${string}`;
  /** The scope that a token must have. `any` and `none` are for routes without one. */
  readonly scope: RouteScope;
  /** Whether the route takes an `Idempotency-Key`. */
  readonly command: boolean;
  /**
   * Whether the route can make an agent act. A caller without the scope `approve` may use it only on a session that asks
   * for approval, and the method takes `CallerOptions`.
   */
  readonly promptsAgent: boolean;
  /** Whether a client sends the request again after it loses the connection. */
  readonly retriable: boolean;
  /** An imperative sentence for the OpenAPI document. */
  readonly summary: string;
  readonly query: z.ZodObject | null;
  readonly body: z.ZodType | null;
  /** Null for a route that replies with 204. */
  readonly reply: z.ZodType | null;
  readonly media: "application/json" | "text/plain";
  /**
   * The arguments of the `Fairlead` method that has the route's name. The method of a command takes `CommandOptions` as
   * one more argument. Null for a route that calls no method.
   */
  readonly args: readonly ArgumentSource[] | null;
}

export const queryDefaults = {
  method: "GET",
  scope: "read",
  command: false,
  promptsAgent: false,
  retriable: true,
  query: null,
  body: null,
  media: "application/json",
  args: [],
} as const;
export const sessionQueryDefaults = { ...queryDefaults, args: ["session"] } as const;
export const commandDefaults = {
  ...queryDefaults,
  method: "POST",
  scope: "drive",
  command: true,
  reply: null,
  args: ["session"],
} as const;
export const promptDefaults = { ...commandDefaults, promptsAgent: true } as const;
/** A person at the agent's own terminal drives the agent and approves its actions there, so these routes need `admin`. */
export const terminalDefaults = { ...commandDefaults, scope: "admin" } as const;
export const sessionPath = "/v1/sessions/:session";
