import type { Brief } from "@fairlead/contract";
import type { PlanRole, StartRequest } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { StepContext } from "../workflows/workflows.ts";
import type { RunDependencies, RunFacts } from "./run-dependencies.ts";
import { listRunSessions } from "./list-run-sessions.ts";
import { shareOfLimit, sumSpending } from "./spending.ts";

export interface AgentStart {
  readonly role: PlanRole;
  /** The last part of the session's name. */
  readonly name: string;
  /** The commit that its clone starts from. */
  readonly base: string;
  readonly brief: Brief;
  /** How many sessions may work at the same time, and share what the run may use. */
  readonly sessions: number;
  readonly request?: Partial<StartRequest>;
}

export type StartedAgent = { readonly session: string; readonly agent: string; readonly vendor: string };

/** Starts the session of an agent in a clone of its own. Returns null if the limit of the run is used. */
export async function startRunAgent(
  dependencies: RunDependencies,
  { run, plan, workspace }: RunFacts,
  { role, name, base, brief, sessions, request }: AgentStart,
  step: StepContext,
): Promise<StartedAgent | null> {
  const { fairlead, log } = dependencies;
  const agents = await fairlead.agents();
  const agent = agents.find((one) => one.agent === role.agent);
  if (agent === undefined) throw new FairleadError("unknown-agent", `There is no agent ${role.agent ?? ""}.`);
  const spent = await sumSpending(fairlead, listRunSessions(await log.read(run)).agents);
  const limits = shareOfLimit(plan, spent, sessions);
  if (limits === null) return null;
  const settings = { ...role.settings, ...(role.model !== undefined && { model: role.model }) };
  const start: StartRequest = {
    agent: agent.agent,
    workspace,
    name: `${run}.${name}`,
    isolated: { base, run },
    brief,
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(role.mode !== undefined && { mode: role.mode }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...request,
  };
  const view = await fairlead.start(start, { key: step.key, signal: step.signal });
  return { session: view.session, agent: agent.agent, vendor: agent.vendor };
}
