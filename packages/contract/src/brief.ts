import { z } from "zod";

/** What an agent is asked to do, in parts that a person can check afterwards. */
export const Brief = z.strictObject({
  title: z.string().min(1),
  goal: z.string().min(1),
  /** What must not be done, or must hold while doing it. */
  constraints: z.array(z.string()).default([]),
  /** How to tell that the goal has been reached. */
  acceptance: z.array(z.string()).default([]),
  /** The part of the repository to stay in, as a path below the workspace. */
  room: z.string().optional(),
});
export type Brief = z.infer<typeof Brief>;
