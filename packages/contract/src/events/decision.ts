import { z } from "zod";
import { PolicyCategory, PolicyGrant, PolicyRuleRef, PolicyVerdict } from "../policy/policy.ts";
import { ToolAction } from "./tool-action.ts";

/** A question with its options, as a person sees it. */
export const Question = z.strictObject({
  text: z.string(),
  options: z.array(z.strictObject({ label: z.string(), description: z.string().optional() })),
  multiSelect: z.boolean(),
});
export type Question = z.infer<typeof Question>;

/** A grant that a person may give with an answer. */
const OfferedGrant = PolicyGrant.extend({
  /** Set if it covers no arguments besides its own words. */
  isExact: z.literal(true).optional(),
});

/** What Fairlead found in a call, apart from what the agent says about it. */
export const DecisionReading = z.strictObject({
  /** What the session's policy says. `none`: no rule is about it, so the permission mode decides. */
  verdict: PolicyVerdict.or(z.literal("none")),
  /** Why, as a sentence for the person who decides. */
  reason: z.string(),
  /** The rule or the grant that decided; null if none did. */
  rule: PolicyRuleRef.nullable(),
  /** What else was found in the call, each with its category, for a call that is asked about or denied. */
  alsoFound: z.array(z.string()).optional(),
  /** The commands that would be executed, in the order in which they are written. Long ones are cut. */
  commands: z.array(z.string()),
  /** How many commands are not in the list. */
  omittedCommands: z.int().positive().optional(),
  /**
   * Set if the call only reads in the workspace and nothing in it deserves a question, in a session in which the agent is
   * made to ask about all calls: a person is not asked about it, also in `default` and `accept-edits`.
   */
  onlyReads: z.literal(true).optional(),
  /** What a person may allow for the session or from now on. Missing if that cannot be said in general. */
  grants: z.array(OfferedGrant).optional(),
});
export type DecisionReading = z.infer<typeof DecisionReading>;

/** A way to allow that the agent itself offers. */
export const DecisionOption = z.strictObject({
  id: z.string(),
  label: z.string(),
  /** How long the agent remembers it, if it says so. */
  scope: z.enum(["once", "session", "always"]).optional(),
});
export type DecisionOption = z.infer<typeof DecisionOption>;

/** The agent, or a connection of its processes, waits until a person or a policy answers. */
export const DecisionRequested = z.strictObject({
  type: z.literal("decision.requested"),
  decision: z.string(),
  /** `approval` is about a tool call; `question` asks for a choice; `network` is about a host that the gate holds. */
  kind: z.enum(["approval", "question", "network"]),
  title: z.string(),
  call: z.string().optional(),
  tool: z.string().optional(),
  input: z.unknown().optional(),
  /** What the call does, as far as the adapter knows. Missing in older journals. */
  action: ToolAction.optional(),
  questions: z.array(Question).optional(),
  /** The agent's own ways to allow it. An answer may name one. */
  options: z.array(DecisionOption).optional(),
  /** What the deciding rule is about, or the first thing that was found. `undecidable`: it cannot be known. */
  category: PolicyCategory.or(z.literal("undecidable")).optional(),
  /** Fairlead's own reading. Missing in a session without a policy. */
  reading: DecisionReading.optional(),
  /** When the request is denied if nobody has answered it. */
  deadline: z.iso.datetime().optional(),
  /** The digest of the request, the folder and the policy. Missing in a session without a policy: see `requestDigest`. */
  digest: z.string().optional(),
});

/**
 * Source of a resolution: a person or a program that acts for one (`person`), the permission mode, the agent (it withdrew
 * the request), the runtime (it closed the turn, or too many requests were open), a limit of the session that ended the
 * turn, a rule of the session's policy, the deadline of the request, or nobody, because a client had no person to ask or the
 * session's policy says so (`unattended`).
 */
export const DecidedBy = z.strictObject({
  kind: z.enum(["person", "mode", "agent", "runtime", "unattended", "limit", "policy", "deadline"]),
  /** The label of the access token, or the name of the local user. Missing where there is neither. */
  label: z.string().optional(),
  /** The rule or the grant of a `policy`, or the rule because of which a person was needed. */
  rule: PolicyRuleRef.optional(),
});
export type DecidedBy = z.infer<typeof DecidedBy>;

/** The only answer to a decision. `denied`, `timed-out` and `canceled` are different outcomes. */
export const DecisionResolved = z.strictObject({
  type: z.literal("decision.resolved"),
  decision: z.string(),
  outcome: z.enum(["allowed", "denied", "answered", "canceled", "timed-out"]),
  /** Who resolved it. A request that an interrupt, a pause or a stop canceled was resolved by the sender of that command. */
  by: DecidedBy,
  /** The allowed input, if it differs from the requested one. */
  input: z.unknown().optional(),
  message: z.string().optional(),
  /** How long the answer counts, if not only once. `rule`: it was also added to the user's policy. */
  remember: z.enum(["session", "rule"]).optional(),
  /** The agent's own option that was chosen. */
  option: z.string().optional(),
  answers: z.record(z.string(), z.string()).optional(),
});
