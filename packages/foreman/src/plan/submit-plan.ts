import { type Event } from "@fairlead/contract";
import { Plan, PlanCommand, PlanForge, PlanRole } from "@fairlead/api";
import { toolServerName } from "@fairlead/contract";
import { defineTool } from "@fairlead/tools";
import { z } from "zod";
import { findPlanProblems } from "./check-plan.ts";

/** A command as an agent writes it. The schema of a plan accepts any value here before it checks it. */
const ProposedCommand = z.union([
  z.string().min(1).max(10_000),
  z.strictObject({
    command: z.string().min(1).max(10_000),
    timeout: z.int().positive().optional().describe("Milliseconds. Default: 10 minutes."),
  }),
]);

/** A plan as an agent proposes it. A person chooses the agents and the forge. */
const ProposedPlan = Plan.extend({
  setup: z.array(ProposedCommand).default([]),
  acceptance: z
    .array(ProposedCommand)
    .min(1)
    .describe("Commands that exit with 0 if, and only if, the goal is reached."),
  reviewer: PlanRole.default({ needs: [] }),
  forge: PlanForge.default({ kind: "git", remote: "origin" }),
});

/** The name of the tool by which an agent proposes a plan. */
export const submitPlanName = "submit_plan";

/** The tool by which an agent proposes a plan. Its calls are read from the journal of the session. */
export const submitPlan = defineTool({
  name: submitPlanName,
  description:
    "Submit a plan for several agents: tasks that can be built apart from each other, and commands that decide whether the work is accepted. Call it once, when the plan is whole.",
  input: ProposedPlan,
  readOnly: true,
  run: (proposal) => {
    const problems = findPlanProblems(toPlan(proposal));
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return `Recorded: ${proposal.tasks.length} tasks. A person reads the plan before it is run. Your work is done.`;
  },
});

function toPlan({ setup, acceptance, ...proposal }: z.infer<typeof ProposedPlan>): Plan {
  const commands = (list: typeof setup) => list.map((command) => PlanCommand.parse(command));
  return { ...proposal, setup: commands(setup), acceptance: commands(acceptance) };
}

/** Finds the last plan that an agent submitted and the tool accepted. Returns null if there is none. */
export function findSubmittedPlan(events: Iterable<Pick<Event, "body">>): Plan | null {
  const requested = new Map<string, unknown>();
  let plan: Plan | null = null;
  for (const { body } of events) {
    if (body.type === "tool.requested" && isSubmitPlan(body.name)) requested.set(body.call, body.input);
    if (body.type !== "tool.ended" || !body.ok || !requested.has(body.call)) continue;
    const { data } = ProposedPlan.safeParse(requested.get(body.call));
    if (data !== undefined) plan = toPlan(data);
  }
  return plan;
}

/** Agents that speak MCP put the name of the server before the name of the tool. */
const isSubmitPlan = (name: string): boolean =>
  name === submitPlanName || name.endsWith(`${toolServerName}__${submitPlanName}`);
