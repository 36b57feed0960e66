import type { Fairlead, Plan, PlanRole } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { type Home, RunRepository } from "@fairlead/runtime";
import type { PersonEnvironment } from "../forge/push-commit.ts";
import type { RunLog } from "../log/run-log.ts";

/** What the workflows of a run act through. */
export interface RunDependencies {
  readonly fairlead: Fairlead;
  readonly log: RunLog;
  readonly home: Home;
  /** The person's environment, with the credentials for a push. */
  readonly environment: PersonEnvironment;
  /** Milliseconds since 1970. The engine of the workflows has the same clock. */
  readonly now: () => number;
}

/** What is fixed when a run starts. */
export interface RunFacts {
  readonly run: string;
  readonly plan: Plan;
  readonly workspace: string;
  readonly base: string;
}

/** Reads what is fixed when a run starts: its first event. It never changes, so it needs no step. */
export async function readRunFacts({ log }: RunDependencies, run: string): Promise<RunFacts> {
  const [first] = await log.read(run);
  if (first?.body.type !== "run.started") throw new FairleadError("corrupt", `The run ${run} has no first event.`);
  const { plan, workspace, base } = first.body;
  return { run, plan, workspace, base };
}

export const repositoryOf = ({ home }: RunDependencies, run: string): RunRepository => new RunRepository(home, run);

export function builderOf(plan: Plan, task: string): PlanRole {
  const builder = plan.tasks.find(({ id }) => id === task)?.builder ?? plan.builder;
  if (builder === undefined) throw new FairleadError("invalid-request", `Task ${task} has no builder.`);
  return builder;
}
