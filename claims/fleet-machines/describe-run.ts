import type { SeededRandom } from "../../measure/seeded-random.ts";
import type { Overlap } from "./agent-records.ts";
import { checkLog, type LogCheck } from "./log-check.ts";
import type { MachineFleet } from "./machine-fleet.ts";

/** What the sessions of a fleet did while it had faults. */
export interface RunResult {
  readonly seed: number;
  readonly log: LogCheck;
  readonly messages: number;
  readonly completed: number;
  /** Effects of messages in the files that agents wrote, and messages that had more than one. */
  readonly effects: number;
  readonly repeated: readonly string[];
  /** Messages with a completed turn that had no effect. */
  readonly withoutEffect: readonly string[];
  readonly agents: number;
  readonly overlaps: readonly Overlap[];
  /** How often each error was an answer to a message. */
  readonly answeredErrors: Readonly<Record<string, number>>;
  readonly loggedErrors: number;
}

/** Compares what agents wrote, what the log has and what clients saw. Call it when the workers have finished. */
export async function describeRun(fleet: MachineFleet, { seed }: SeededRandom): Promise<RunResult> {
  const messages = fleet.workers.flatMap((worker) => worker.messages);
  const effects = fleet.records.countEffects();
  const completed = messages.filter(({ outcome }) => outcome === "completed");
  const answeredErrors: Record<string, number> = {};
  for (const error of messages.flatMap(({ errors }) => errors))
    answeredErrors[error] = (answeredErrors[error] ?? 0) + 1;
  const loggedErrors = [...fleet.machines, ...fleet.gateways].flatMap(({ errors }) => errors);
  for (const line of loggedErrors.slice(0, 20)) console.error(line.slice(0, 1000));
  return {
    seed,
    log: await checkLog(fleet.engine, fleet.workers),
    messages: messages.length,
    completed: completed.length,
    effects: [...effects.values()].reduce((sum, count) => sum + count, 0),
    repeated: [...effects].flatMap(([id, count]) => (count > 1 ? [id] : [])),
    withoutEffect: completed.flatMap(({ id }) => (effects.has(id) ? [] : [id])),
    agents: fleet.records.readBeats().length,
    overlaps: fleet.records.findOverlaps(),
    answeredErrors,
    loggedErrors: loggedErrors.length,
  };
}
