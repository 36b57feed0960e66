import { z } from "zod";

/** A task for an agent, in parts that a person can check afterwards. */
export const Brief = z.strictObject({
  title: z.string().min(1),
  goal: z.string().min(1),
  /** Rules that the agent must obey during the task. */
  constraints: z.array(z.string()).default([]),
  /** Conditions under which the goal is reached. */
  acceptance: z.array(z.string()).default([]),
  /** The part of the repository that the agent must stay in: a path below the workspace. */
  room: z.string().optional(),
});
export type Brief = z.infer<typeof Brief>;
