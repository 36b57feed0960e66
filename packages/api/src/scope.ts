import { z } from "zod";

/** The scopes of access tokens. A test compares the descriptions with the route table. */
export const scopes = {
  read: "Read health, metrics, agents, sessions, events, checkpoints, decisions, files, diffs, usage and runs, and check plans.",
  drive: "Start, send, steer, inject, update briefs, interrupt, pause, resume, fork, bring, stop, and cancel runs.",
  approve: "Answer decisions and run plans.",
  admin: "Take over a session in the agent's terminal and hand it back, forget sessions and shut down the service.",
} as const satisfies Record<string, string>;

export const Scope = z.enum(Object.keys(scopes) as [keyof typeof scopes, ...(keyof typeof scopes)[]]);
export type Scope = z.infer<typeof Scope>;

/**
 * A header by which a caller gives up scopes for a request: it names those to keep, separated by commas. It never adds one.
 * For a program that runs as the owner, and serves others who may do less.
 */
export const scopesHeader = "fairlead-scopes";
