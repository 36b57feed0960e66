import type { AgentView, Plan, PlanRole, RunCheck } from "@fairlead/api";
import type { Capability } from "@fairlead/contract";
import { assignRoles, builderRoleOf, candidatesOf, commandAgent, reviewerMode, reviewerNeeds } from "./assign-roles.ts";
import { findTaskCycle } from "./find-task-cycle.ts";

/** Finds what prevents a run of a plan on this machine, one sentence each, before anything starts. */
export function checkPlan(plan: Plan, agents: readonly AgentView[]): RunCheck {
  const { builders, reviewer } = assignRoles(plan, agents);
  const roles = plan.tasks.map((task) => ({
    role: `builder of ${task.id}`,
    request: builderRoleOf(plan, task),
    agent: builders.get(task.id) ?? null,
    needs: [] as readonly Capability[],
  }));
  const request = { ...plan.reviewer, mode: plan.reviewer.mode ?? reviewerMode };
  const reviewRole = { role: "reviewer", request, agent: reviewer, needs: reviewerNeeds };
  // Several tasks usually have the same builder: what is wrong with it is said once.
  const problems = new Set([
    ...findPlanProblems(plan),
    ...[...roles, reviewRole].flatMap((one) => roleProblems(one, agents, plan)),
    ...vendorProblems(plan, [...builders.values()], reviewer),
  ]);
  return {
    problems: [...problems],
    roles: [...roles, reviewRole].map(({ role, agent }) => ({
      role,
      agent: agent?.agent ?? null,
      vendor: agent?.vendor ?? null,
    })),
  };
}

/** Finds what is wrong with the tasks of a plan, whatever agents there are. */
export function findPlanProblems({ tasks }: Plan): string[] {
  const ids = tasks.map(({ id }) => id);
  const duplicates = new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  const cycle = findTaskCycle(tasks);
  return [
    ...[...duplicates].map((id) => `Two tasks have the id ${id}.`),
    ...tasks.flatMap(({ id, after }) =>
      after
        .filter((one) => !ids.includes(one))
        .map((unknown) => `Task ${id} comes after ${unknown}, which is not a task of the plan.`),
    ),
    ...(cycle === null ? [] : [`The tasks ${cycle.join(" → ")} wait for each other.`]),
  ];
}

interface CheckedRole {
  readonly role: string;
  readonly request: PlanRole;
  readonly agent: AgentView | null;
  readonly needs: readonly Capability[];
}

function roleProblems(
  { role, request, agent, needs }: CheckedRole,
  agents: readonly AgentView[],
  plan: Plan,
): string[] {
  const allNeeds = [...new Set([...request.needs, ...needs])];
  if (agent === null) {
    if (request.agent !== undefined)
      return [`There is no agent ${request.agent}. Agents: ${agents.map((one) => one.agent).join(", ")}.`];
    // A reviewer that is missing only because of its vendor is reported by `vendorProblems`.
    if (role === "reviewer" && candidatesOf(request, agents, needs).length > 0) return [];
    return [`No installed and verified agent fits the ${role}${describe(request.vendor, allNeeds)}.`];
  }
  const { agent: name, probeResult, capabilities, modes } = agent;
  if (name === commandAgent) return [`The agent ${name} runs commands and can neither build nor review.`];
  const missing = allNeeds.filter((need) => !capabilities.includes(need));
  return [
    ...(probeResult.installed ? [] : [`The agent ${name} is not installed.`]),
    ...(request.vendor === undefined || request.vendor === agent.vendor
      ? []
      : [`The agent ${name} is made by ${agent.vendor}, not by ${request.vendor}.`]),
    ...missing.map((need) => `The agent ${name} lacks the capability ${need}, which the ${role} needs.`),
    ...(request.mode === undefined || modes.includes(request.mode)
      ? []
      : [`The agent ${name} does not support the mode ${request.mode}. Its modes: ${modes.join(", ")}.`]),
    ...limitProblems(agent, plan),
  ];
}

function limitProblems({ agent, capabilities }: AgentView, { limit = {} }: Plan): string[] {
  const reportsTokens = capabilities.includes("usage");
  return [
    ...(limit.tokens === undefined || reportsTokens ? [] : ["tokens"]),
    ...(limit.usd === undefined || reportsTokens || capabilities.includes("cost") ? [] : ["usd"]),
  ].map((kind) => `The limit of ${kind} cannot be kept: the agent ${agent} does not report what it uses.`);
}

function vendorProblems(plan: Plan, builders: readonly (AgentView | null)[], reviewer: AgentView | null): string[] {
  const known = builders.filter((agent) => agent !== null);
  if (reviewer === null) {
    if (known.length === 0 || plan.reviewer.agent !== undefined) return [];
    const vendors = [...new Set(known.map(({ vendor }) => vendor))].join(" and ");
    return [`There is no second vendor: ${vendors} builds, and no other vendor's agent on this machine can review.`];
  }
  const same = known.filter(({ vendor }) => vendor === reviewer.vendor);
  return [...new Set(same.map(({ agent }) => agent))].map(
    (builder) =>
      `There is no second vendor: ${reviewer.vendor} makes both the builder ${builder} and the reviewer ${reviewer.agent}.`,
  );
}

function describe(vendor: string | undefined, needs: readonly Capability[]): string {
  const parts = [
    ...(vendor === undefined ? [] : [`the vendor ${vendor}`]),
    ...(needs.length === 0 ? [] : [`the capabilities ${needs.join(", ")}`]),
  ];
  return parts.length === 0 ? "" : `, which needs ${parts.join(" and ")}`;
}
