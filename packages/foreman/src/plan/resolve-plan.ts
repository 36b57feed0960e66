import type { Plan } from "@fairlead/api";
import { type AssignedRoles, builderRoleOf } from "./assign-roles.ts";

/** Writes the chosen agents into a plan, so that a run keeps its agents when others are installed later. */
export function resolvePlan(plan: Plan, { builders, reviewer }: AssignedRoles): Plan {
  const name = (agent: { readonly agent: string } | null | undefined) => (agent ? { agent: agent.agent } : {});
  return {
    ...plan,
    tasks: plan.tasks.map((task) => ({
      ...task,
      builder: { ...builderRoleOf(plan, task), ...name(builders.get(task.id)) },
    })),
    reviewer: { ...plan.reviewer, ...name(reviewer) },
  };
}
