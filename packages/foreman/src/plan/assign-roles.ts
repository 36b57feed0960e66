import type { AgentView, Plan, PlanRole } from "@fairlead/api";
import type { Capability } from "@fairlead/contract";

/** The agents of a plan. Null where there is none that fits. */
export interface AssignedRoles {
  /** The builder of each task, by the id of the task. */
  readonly builders: ReadonlyMap<string, AgentView | null>;
  readonly reviewer: AgentView | null;
}

/** It executes each message as a command, so that it can neither build nor review. */
export const commandAgent = "shell";
/** It plays scripts for tests. A plan may name it, but it is never chosen. */
const scriptAgent = "scripted";
/** The reviewer gives its verdict by a tool of Fairlead. */
export const reviewerNeeds: readonly Capability[] = ["host-tools"];
/** The mode of a reviewer whose role names none. Its sandbox limits it, so that no person is asked meanwhile. */
export const reviewerMode = "full-auto";

const anyAgent: PlanRole = { needs: [] };

/** Returns the role of a task's builder. */
export function builderRoleOf(plan: Plan, task: Plan["tasks"][number]): PlanRole {
  return task.builder ?? plan.builder ?? anyAgent;
}

/**
 * Chooses the agents of a plan. A role that names an agent gets it, whether it fits or not. Another role gets the first
 * installed and verified agent with its vendor and capabilities. Of all choices in which the reviewer's vendor differs from
 * that of all builders, the one whose builders come first in the list is taken.
 */
export function assignRoles(plan: Plan, agents: readonly AgentView[]): AssignedRoles {
  const builders = plan.tasks.map((task) => ({
    id: task.id,
    candidates: candidatesOf(builderRoleOf(plan, task), agents),
  }));
  const reviewers = candidatesOf(plan.reviewer, agents, reviewerNeeds);
  let best: { roles: AssignedRoles; rank: number } | null = null;
  for (const reviewer of reviewers) {
    const chosen = builders.map(({ id, candidates }) => {
      const index = candidates.findIndex(({ vendor }) => vendor !== reviewer.vendor);
      return { id, agent: candidates[index] ?? null, rank: index < 0 ? Infinity : index };
    });
    const rank = chosen.reduce((sum, one) => sum + one.rank, 0);
    if (rank < (best?.rank ?? Infinity))
      best = { rank, roles: { reviewer, builders: new Map(chosen.map(({ id, agent }) => [id, agent])) } };
  }
  if (best !== null) return best.roles;
  // There is no second vendor. The named agents are still reported, so that the problem can be explained.
  const first = new Map(builders.map(({ id, candidates }) => [id, candidates[0] ?? null]));
  const vendors = new Set([...first.values()].map((agent) => agent?.vendor));
  const reviewer = reviewers.find(({ vendor }) => !vendors.has(vendor)) ?? null;
  return { builders: first, reviewer: reviewer ?? (plan.reviewer.agent === undefined ? null : (reviewers[0] ?? null)) };
}

/** Returns the agents that a role can have, in the order of preference: the one that it names, or all that fit. */
export function candidatesOf(
  { agent: name, vendor, needs }: PlanRole,
  agents: readonly AgentView[],
  alsoNeeds: readonly Capability[] = [],
): AgentView[] {
  if (name !== undefined) return agents.filter(({ agent }) => agent === name);
  return agents.filter(
    (one) =>
      one.agent !== commandAgent &&
      one.agent !== scriptAgent &&
      one.verified &&
      one.probeResult.installed &&
      (vendor === undefined || one.vendor === vendor) &&
      [...needs, ...alsoNeeds].every((need) => one.capabilities.includes(need)),
  );
}
