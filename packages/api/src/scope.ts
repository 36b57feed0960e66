import { z } from "zod";

/** What a token may be good for. */
export const scopes = {
  read: "Look at sessions, events, decisions and use.",
  drive: "Start, send, steer, inject, interrupt, pause, resume, fork, take over and stop.",
  approve: "Answer decisions.",
  admin: "End the service, and forget sessions.",
  report: "What an agent is given for its own session: it opens no route, above all none that answers decisions.",
} as const satisfies Record<string, string>;

export const Scope = z.enum(Object.keys(scopes) as [keyof typeof scopes, ...(keyof typeof scopes)[]]);
export type Scope = z.infer<typeof Scope>;
