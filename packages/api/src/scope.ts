import { z } from "zod";

/** The scopes of access tokens. A test compares the descriptions with the route table. */
export const scopes = {
  read: "Read health, metrics, agents, sessions, the overview, events, turns, matches of a search, checkpoints, decisions, files, diffs, the history of usage and turns, usage and runs, and check plans.",
  drive: "Start, send, steer, inject, update briefs, interrupt, pause, resume, fork, bring, stop, and cancel runs.",
  approve: "Answer decisions and run plans.",
  admin:
    "Take over a session in the agent's terminal and hand it back, forget sessions, issue one-time codes and shut down the service.",
} as const satisfies Record<string, string>;

export const Scope = z.enum(Object.keys(scopes) as [keyof typeof scopes, ...(keyof typeof scopes)[]]);
export type Scope = z.infer<typeof Scope>;

/** What a route asks of its caller: a scope, with `any` a valid token whatever its scopes, and with `none` no token. */
export type RouteScope = Scope | "any" | "none";

/**
 * A header by which a caller gives up scopes for a request: it names those to keep, separated by commas. It never adds one.
 * For a program that runs as the owner, and serves others who may do less.
 */
export const scopesHeader = "fairlead-scopes";
