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

/** Everything an adapter needs to know to hold a conversation. The first record of every spool; it holds no secret. */
export const Opening = z.strictObject({
  session: z.string(),
  adapter: z.string(),
  adapterVersion: z.string(),
  workspace: z.string(),
  mode: PermissionMode,
  settings: z.record(z.string(), z.unknown()),
  finding: Finding,
  continues: z.strictObject({ session: z.string(), native: z.string() }).nullable(),
});
export type Opening = z.infer<typeof Opening>;
