import type { PlanRole, StartRequest } from "@fairlead/api";
import { FairleadError, type Brief, type SpendingLimits } from "@fairlead/contract";
import type { StepContext, WorkflowContext } from "../workflows/workflows.ts";
import { listRunSessions } from "./list-run-sessions.ts";
import type { RunDependencies, RunFacts } from "./run-dependencies.ts";
import { RunEnded } from "./run-ended.ts";
import { shareOfLimit, sumSpending } from "./spending.ts";
import { asJson } from "./work.ts";

export interface AgentStart {
  readonly role: PlanRole;
  /** The last part of the session's name. */
  readonly name: string;
  /** The commit that its clone starts from. */
  readonly base: string;
  readonly brief: Brief;
  /** What it may use, as `chooseSessionLimits` found it. */
  readonly limits: SpendingLimits;
  readonly request?: Partial<StartRequest>;
}

export type StartedAgent = { readonly session: string; readonly agent: string; readonly vendor: string };

/**
 * Chooses what the next session may use: a share of what the run has left. In a step of its own, because a start that is
 * repeated after a crash must be the same. Throws if nothing is left.
 */
export async function chooseSessionLimits(
  { fairlead, log }: RunDependencies,
  { run, plan }: RunFacts,
  context: WorkflowContext,
  { name, sessions }: { readonly name: string; readonly sessions: number },
): Promise<SpendingLimits> {
  if (plan.limit === undefined) return {};
  const limits = await context.step(name, async () => {
    const spent = await sumSpending(fairlead, listRunSessions(await log.read(run)).agents);
    return asJson(shareOfLimit(plan, spent, sessions));
  });
  if (limits === null) throw new RunEnded("blocked", "The limit of the run is used.");
  return limits as SpendingLimits;
}

/** Starts the session of an agent in a clone of its own, and in a sandbox. */
export async function startRunAgent(
  { fairlead }: RunDependencies,
  { run, workspace }: RunFacts,
  { role, name, base, brief, limits, request }: AgentStart,
  step: StepContext,
): Promise<StartedAgent> {
  const agent = (await fairlead.agents()).find((one) => one.agent === role.agent);
  if (agent === undefined) throw new FairleadError("unknown-agent", `There is no agent ${role.agent ?? ""}.`);
  const settings = { ...role.settings, ...(role.model !== undefined && { model: role.model }) };
  const start: StartRequest = {
    agent: agent.agent,
    workspace,
    name: `${run}.${name}`,
    isolated: { base, run },
    brief,
    // Without one, an agent could reach the daemon and approve its own work.
    sandbox: { kind: "bwrap" },
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(role.mode !== undefined && { mode: role.mode }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...request,
  };
  const view = await fairlead.start(start, { key: step.key, signal: step.signal });
  return { session: view.session, agent: agent.agent, vendor: agent.vendor };
}
