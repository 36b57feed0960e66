import { z } from "zod";
import { Policy } from "./policy.ts";

/** What happens with an action that a person should decide about. `deny`: nobody waits for it, so it is denied. */
export const Unattended = z.enum(["wait", "deny"]);
/** How long a decision may stay open. At most a week: timers have a limit. */
export const DeadlineSeconds = z
  .int()
  .positive()
  .max(7 * 24 * 3600);

/** The policy of one session: the rules themselves, so that the spool proves which ones applied. */
export const SessionPolicy = z.strictObject({
  policies: z.array(Policy).max(16),
  unattended: Unattended,
  deadlineSeconds: DeadlineSeconds.optional(),
  /** Rules that were left out and why, one sentence each. The session reports them when it starts. */
  notices: z.array(z.string()).optional(),
});
export type SessionPolicy = z.infer<typeof SessionPolicy>;

/** A session's policy as its first event shows it. */
export const PolicySummary = z.strictObject({
  sources: z.array(
    z.strictObject({ source: z.string(), rules: z.int().nonnegative(), grants: z.int().nonnegative().optional() }),
  ),
  /** SHA-256 of the rules and grants of all sources. */
  digest: z.string(),
  unattended: Unattended,
  deadlineSeconds: DeadlineSeconds.optional(),
});
export type PolicySummary = z.infer<typeof PolicySummary>;
