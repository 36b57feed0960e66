import { setTimeout as delay } from "node:timers/promises";
import type { Event } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import { readLog } from "../gateway-any/fleet-views.ts";
import { addLosses, countLosses, noLosses, type ViewLosses } from "../daemon/view-losses.ts";
import type { SessionWorker } from "./session-worker.ts";

/** What the log says about the sessions of workers. Each problem is one line for a person. */
export interface LogCheck {
  readonly events: number;
  /** Events with a lower epoch than an earlier one, or with a gap in the numbering before them. */
  readonly staleWrites: readonly string[];
  /** Outputs of an agent after the first output of a later one. */
  readonly lateOutputs: readonly string[];
  /** What followers at the gateways saw otherwise. */
  readonly losses: ViewLosses;
  /** Times that a session continued on another host, by the outcome for its memory. */
  readonly moves: Readonly<Record<string, number>>;
  /** Accepted messages without a turn, and messages with several. */
  readonly missing: readonly string[];
  readonly doubled: readonly string[];
  readonly ended: readonly string[];
}

/** Milliseconds after which events that a follower has not seen are lost. */
const viewLimit = 30_000;

/** Compares the log with what workers sent and saw. Call it after they have finished. */
export async function checkLog(engine: Engine, workers: readonly SessionWorker[]): Promise<LogCheck> {
  const log = await readLog(engine);
  const eventsOf = ({ session }: SessionWorker): readonly Event[] => log.get(session) ?? [];
  const turnsOf = (worker: SessionWorker): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { body } of eventsOf(worker)) {
      if (body.type !== "turn.started") continue;
      const id = body.input.replace(/ SCRIPT:.*/s, "");
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  };
  const losses: ViewLosses[] = [];
  for (const worker of workers) losses.push(await compareView(worker, eventsOf(worker)));
  const moves: Record<string, number> = {};
  for (const events of workers.map(eventsOf))
    for (const outcome of listMoves(events)) moves[outcome] = (moves[outcome] ?? 0) + 1;
  return {
    events: workers.reduce((sum, worker) => sum + eventsOf(worker).length, 0),
    staleWrites: workers.flatMap((worker) => findStaleWrites(worker.session, eventsOf(worker))),
    lateOutputs: workers.flatMap((worker) => findLateOutputs(worker.session, eventsOf(worker))),
    losses: losses.reduce(addLosses, noLosses),
    moves,
    missing: workers.flatMap((worker) => {
      const turns = turnsOf(worker);
      return worker.messages.flatMap(({ id, turn }) => (turn !== undefined && !turns.has(id) ? [id] : []));
    }),
    doubled: workers.flatMap((worker) => [...turnsOf(worker)].flatMap(([id, count]) => (count > 1 ? [id] : []))),
    ended: workers.flatMap((worker) =>
      eventsOf(worker).some(({ body }) => body.type === "session.ended") ? [worker.session] : [],
    ),
  };
}

/** Compares what the follower of a session saw with the log. It may be behind the log, and may have seen later events. */
async function compareView({ follower }: SessionWorker, events: readonly Event[]): Promise<ViewLosses> {
  const last = events.at(-1)?.sequence ?? 0;
  const late = new AbortController();
  const limit = delay(viewLimit, undefined, { signal: late.signal }).catch(() => {});
  await Promise.race([follower.waitForEvent(({ sequence }) => sequence >= last), limit]);
  late.abort();
  return countLosses(
    follower.events.filter(({ sequence }) => sequence <= last),
    events,
  );
}

function findStaleWrites(session: string, events: readonly Event[]): string[] {
  return events.flatMap(({ sequence, epoch }, index) => {
    const before = events[index - 1];
    const isStale = sequence !== index + 1 || epoch < (before?.epoch ?? 0);
    return isStale ? [`${session}: event ${sequence} has epoch ${epoch} after ${before?.epoch}.`] : [];
  });
}

/** An agent's output names its machine. The output of another machine follows a claim, and none comes back without one. */
function findLateOutputs(session: string, events: readonly Event[]): string[] {
  let last: { readonly host: string; readonly epoch: number } | undefined;
  return events.flatMap(({ sequence, epoch, body }) => {
    const host = body.type === "tool.ended" ? /^did \S+ on (\S+)/.exec(body.output)?.[1] : undefined;
    if (host === undefined || host === last?.host) return [];
    const before = last;
    last = { host, epoch };
    return before !== undefined && epoch <= before.epoch
      ? [`${session}: event ${sequence} is of ${host} after ${before.host}.`]
      : [];
  });
}

/** The outcomes of the resumes after each move. */
function listMoves(events: readonly Event[]): string[] {
  const outcomes: string[] = [];
  let isMoving = false;
  for (const { body } of events) {
    if (body.type === "session.paused") isMoving = body.reason === "moved";
    if (body.type !== "session.resumed" || !isMoving) continue;
    outcomes.push(body.outcome);
    isMoving = false;
  }
  return outcomes;
}
