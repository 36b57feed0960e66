import { z } from "zod";
import { PermissionMode } from "./permission-mode.ts";

/** What probing found out about an agent on this machine. Facts, with a sentence for each thing that is wrong. */
export const Finding = z.strictObject({
  installed: z.boolean(),
  /** The program that would be launched. */
  program: z.string().nullable(),
  version: z.string().nullable(),
  /** Flags seen in its help. */
  flags: z.array(z.string()),
  /** How it would identify itself to its vendor; `none` when it needs nothing. */
  auth: z.enum(["api-key", "login", "none", "unknown"]),
  /** What does not work here and what to do about it, one sentence each. */
  problems: z.array(z.string()),
});
export type Finding = z.infer<typeof Finding>;

/**
 * The session whose conversation goes on, and how: in the agent's own memory of it (`native`), with what our journal has
 * of it said again (`rebuilt`), or without any of it (`fresh`); when it is resumed, the last two only with consent.
 */
export const Continuation = z.strictObject({
  session: z.string(),
  /** The agent's own name for the conversation; null unless it goes on in the agent's memory. */
  agentSessionId: z.string().nullable(),
  /** Spools from before there was a choice do not say. */
  outcome: z.enum(["native", "rebuilt", "fresh"]).default("native"),
  /** Set when the conversation is only shared up to here: the other session keeps it as it is, and may still be going on. */
  fork: z.literal(true).optional(),
});
export type Continuation = z.infer<typeof Continuation>;

/** Everything an adapter needs to know to hold a conversation. The first record of every spool; it holds no secret. */
export const Opening = z.strictObject({
  session: z.string(),
  /** What people call it; spools from before there were names do not say. */
  name: z.string().nullable().default(null),
  agent: z.string(),
  adapterVersion: z.string(),
  workspace: z.string(),
  mode: PermissionMode,
  settings: z.record(z.string(), z.unknown()),
  finding: Finding,
  continues: Continuation.nullable(),
});
export type Opening = z.infer<typeof Opening>;
