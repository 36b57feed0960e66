import { z } from "zod";
import { Plan } from "./plan.ts";

/** How a run ended. None stands for another one. */
export const RunOutcome = z.enum([
  /** The request was made. */
  "done",
  /** No task changed anything. */
  "no-op",
  /** Something outside the agents prevents the rest: a limit, a vendor that served both sides, a person who denied it. */
  "blocked",
  /** An agent, a command of `setup` or the forge failed. */
  "failed",
  /** A person canceled the run. */
  "canceled",
  /** The work was sent back as often as the plan allows. */
  "exhausted",
  /** An agent ended its turns without what was asked of it. */
  "stalled",
  /** Nobody decided before the deadline. */
  "timed-out",
]);
export type RunOutcome = z.infer<typeof RunOutcome>;

export const ReviewFinding = z.strictObject({
  path: z.string().max(4096),
  line: z.int().positive().optional(),
  what: z.string().min(1).max(10_000),
  severity: z.enum(["error", "warning", "note"]),
});
export type ReviewFinding = z.infer<typeof ReviewFinding>;

/** The changed files and lines between two commits. */
export const DiffStatistics = z.strictObject({
  files: z.int().nonnegative(),
  added: z.int().nonnegative(),
  removed: z.int().nonnegative(),
});
export type DiffStatistics = z.infer<typeof DiffStatistics>;

export const CommandResult = z.strictObject({
  command: z.string(),
  /** The shell session that ran it. */
  session: z.string(),
  passed: z.boolean(),
  /** Why it did not pass. */
  problem: z.string().nullable(),
  /** The end of the output. */
  output: z.string(),
});
export type CommandResult = z.infer<typeof CommandResult>;

const agentFields = {
  session: z.string(),
  agent: z.string(),
  vendor: z.string(),
};

const step = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

export const RunEventBody = z.discriminatedUnion("type", [
  /** The first event. `base` is the commit that all tasks start from. */
  step("run.started", { plan: Plan, workspace: z.string(), base: z.string(), by: z.string() }),
  /** The agent of a task has its brief. */
  step("task.started", { task: z.string(), ...agentFields, base: z.string() }),
  /** Fairlead stored the state of a clone as a commit of its own. `task` is null for joined work. */
  step("snapshot.made", {
    task: z.string().nullable(),
    session: z.string(),
    tree: z.string(),
    commit: z.string(),
    changes: DiffStatistics,
  }),
  /** A command of `setup` or `acceptance` runs. */
  step("command.started", { command: z.string(), session: z.string() }),
  step("acceptance.ended", {
    task: z.string().nullable(),
    tree: z.string(),
    passed: z.boolean(),
    commands: z.array(CommandResult),
  }),
  /** Work was sent back to the session that made it. */
  step("work.returned", {
    task: z.string().nullable(),
    session: z.string(),
    reason: z.enum(["acceptance", "findings"]),
    round: z.int().positive(),
  }),
  step("task.ended", {
    task: z.string(),
    outcome: RunOutcome,
    reason: z.string(),
    commit: z.string().nullable(),
  }),
  /** The work of several tasks was merged. `conflicts` are the paths that an agent had to resolve. */
  step("work.joined", {
    tree: z.string(),
    commit: z.string(),
    conflicts: z.array(z.string()),
    changes: DiffStatistics,
  }),
  /** An agent that made none of the tasks resolves a conflict. */
  step("join.started", { ...agentFields, conflicts: z.array(z.string()), reason: z.string() }),
  step("review.started", { ...agentFields, tree: z.string(), round: z.int().positive() }),
  /** What the reviewer found. It counts for this tree only. */
  step("verdict.given", {
    ...agentFields,
    tree: z.string(),
    verdict: z.enum(["approve", "changes"]),
    findings: z.array(ReviewFinding),
  }),
  step("decision.requested", {
    decision: z.string(),
    tree: z.string(),
    changes: DiffStatistics,
    findings: z.array(ReviewFinding),
    acceptance: z.array(CommandResult),
    /** What all sessions used so far, as far as it is known. */
    usd: z.number().nullable(),
    deadline: z.iso.datetime().nullable(),
  }),
  step("decision.resolved", {
    decision: z.string(),
    outcome: z.enum(["allowed", "denied", "timed-out", "canceled"]),
    by: z.string().nullable(),
    message: z.string().optional(),
  }),
  step("branch.pushed", { branch: z.string(), commit: z.string(), tree: z.string(), remote: z.string() }),
  step("request.made", { branch: z.string(), address: z.string() }),
  /** The last event. */
  step("run.ended", { outcome: RunOutcome, reason: z.string() }),
]);
export type RunEventBody = z.infer<typeof RunEventBody>;

/** What happened in a run. The numbers have no gaps. */
export const RunEvent = z.strictObject({
  run: z.string(),
  seq: z.int().positive(),
  at: z.iso.datetime(),
  body: RunEventBody,
});
export type RunEvent = z.infer<typeof RunEvent>;

/** Reads events of a run after a number. With `wait`, the reply waits that long, in milliseconds, if there is none yet. */
export const RunEventQuery = z.strictObject({
  run: z.string(),
  /** Default: 0, all events. */
  after: z.coerce.number().pipe(z.int().nonnegative()).optional(),
  /** Default: 0, no wait. */
  wait: z.coerce.number().pipe(z.int().nonnegative().max(30_000)).optional(),
});
export type RunEventQuery = Readonly<z.infer<typeof RunEventQuery>>;

export const RunEventPage = z.strictObject({
  events: z.array(RunEvent),
  /** Whether the last event of the run is in this page or before it. */
  ended: z.boolean(),
});
export type RunEventPage = z.infer<typeof RunEventPage>;
