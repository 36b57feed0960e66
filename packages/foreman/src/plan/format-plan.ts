import type { Plan, PlanCommand } from "@fairlead/api";
import { Document } from "yaml";
import { formatPlanDuration } from "./plan-duration.ts";

/** What people should know about a field before they edit it. */
const comments: Readonly<Record<string, string>> = {
  goal: " What is to be true at the end. Every agent reads it.",
  constraints: " Rules that every agent must obey.",
  setup: " Commands that prepare a checkout before the acceptance commands run in it.",
  setupNetwork: " What the commands of setup can reach: none, gate or open. Acceptance commands have no network.",
  acceptance: " Commands that must exit with 0 before the work is reviewed.",
  tasks: " Tasks run at the same time, unless one comes after another.",
  builder: " The agent of the tasks that name none.",
  reviewer: " An agent of another vendor than every builder.",
  rounds: " How often work is sent back.",
  limit: " What all sessions of the run may use together.",
  approval: " How long a person has to decide. Without a deadline: any time.",
  forge: " Where the approved branch is sent.",
};

/** Formats a plan as a commented `foreman.yaml` that `parsePlan` accepts. */
export function formatPlan(plan: Plan): string {
  const { deadline } = plan.approval;
  const file = {
    ...plan,
    setup: plan.setup.map(formatCommand),
    acceptance: plan.acceptance.map(formatCommand),
    approval: deadline === undefined ? {} : { deadline: formatPlanDuration(deadline) },
    tasks: plan.tasks.map(({ after, ...task }) => ({ ...task, ...(after.length > 0 && { after }) })),
  };
  const document = new Document(file);
  document.commentBefore = " A plan for several agents. Check it with: fairlead foreman check FILE";
  for (const item of (document.contents as { items?: { key: { value: string; commentBefore?: string } }[] }).items ??
    []) {
    const comment = comments[item.key.value];
    if (comment !== undefined) item.key.commentBefore = comment;
  }
  return document.toString({ lineWidth: 100 });
}

/** The default timeout is left out. */
function formatCommand({ command, timeout }: PlanCommand): string | { command: string; timeout: string | number } {
  return timeout === 600_000 ? command : { command, timeout: formatPlanDuration(timeout) };
}
