import { Capability, PermissionMode, SpendingLimits } from "@fairlead/contract";
import { z } from "zod";

const Id = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,39}$/,
    "An id starts with a letter and has at most 40 lower case letters, digits and dashes.",
  );

const minutes = 60_000;

/** A command of the plan: a text, or a text with its timeout. */
export const PlanCommand = z.preprocess(
  (value) => (typeof value === "string" ? { command: value } : value),
  z.strictObject({
    command: z.string().min(1).max(10_000),
    /** Milliseconds. */
    timeout: z
      .int()
      .positive()
      .max(24 * 60 * minutes)
      .default(10 * minutes),
  }),
);
export type PlanCommand = z.infer<typeof PlanCommand>;

/** Which agent does a part of the work. Without `agent`, the first installed agent with that vendor and those capabilities. */
export const PlanRole = z.strictObject({
  agent: z.string().optional(),
  vendor: z.string().optional(),
  /** Capabilities that the agent must have. */
  needs: z.array(Capability).default([]),
  model: z.string().optional(),
  mode: PermissionMode.optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
});
export type PlanRole = z.infer<typeof PlanRole>;

export const PlanTask = z.strictObject({
  id: Id,
  /** What the agent is to do. */
  brief: z.string().min(1).max(20_000),
  /** Tasks whose work this one builds on. */
  after: z.array(Id).default([]),
  /** Default: the builder of the plan. */
  builder: PlanRole.optional(),
});
export type PlanTask = z.infer<typeof PlanTask>;

/** Where the reviewed and approved branch is sent. */
export const PlanForge = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("git"),
    /** The name of a remote of the workspace's repository, or the path of a bare repository. */
    remote: z.string().min(1).default("origin"),
  }),
  z.strictObject({
    kind: z.literal("github"),
    remote: z.string().min(1).default("origin"),
    /** `owner/name`. Default: from the address of the remote. */
    repository: z
      .string()
      .regex(/^[\w.-]+\/[\w.-]+$/)
      .optional(),
    /** The branch that the work is to be merged into. Default: the branch of the workspace when the run started. */
    base: z.string().min(1).optional(),
    /** The address of the service. Default: the public one. */
    api: z.url().optional(),
  }),
]);
export type PlanForge = z.infer<typeof PlanForge>;

/** What several agents are to do together, as data. `foreman.yaml` has the same form. */
export const Plan = z.strictObject({
  goal: z.string().min(1).max(10_000),
  /** Rules that every agent must obey. */
  constraints: z.array(z.string().min(1).max(2000)).max(20).default([]),
  /** Commands that prepare a checkout before the acceptance commands run in it. */
  setup: z.array(PlanCommand).default([]),
  /** What the commands of `setup` can reach. The acceptance commands always run without a network. */
  setupNetwork: z.enum(["none", "gate", "open"]).default("none"),
  /** Commands that must exit with 0 before the work is reviewed. */
  acceptance: z.array(PlanCommand).default([]),
  tasks: z.array(PlanTask).min(1).max(50),
  /** The builder of the tasks that name none. */
  builder: PlanRole.optional(),
  /** An agent of another vendor than every builder. */
  reviewer: PlanRole,
  /** How often work is sent back, because of failed acceptance commands and because of findings of the reviewer each. */
  rounds: z.int().min(0).max(20).default(2),
  /** What all sessions of the run may use together. */
  limit: SpendingLimits.omit({ seconds: true }).optional(),
  approval: z
    .strictObject({
      /** Milliseconds that a person has to decide. Default: no deadline. */
      deadline: z
        .int()
        .positive()
        .max(365 * 24 * 60 * minutes)
        .optional(),
    })
    .default({}),
  forge: PlanForge,
});
export type Plan = z.infer<typeof Plan>;

/** Starts a run of a plan, or checks whether it could be started. */
export const RunRequest = z.strictObject({
  plan: Plan,
  /** A folder in a working tree of git. An absolute path. */
  workspace: z.string(),
});
export type RunRequest = z.infer<typeof RunRequest>;
/** A request before defaults are applied. */
export type RunRequestInput = z.input<typeof RunRequest>;
