import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Ticket } from "@fairlead/engine";
import type { LocalFairlead } from "@fairlead/service";
import { MoveJob, type MoveOutcome } from "../move-job.ts";
import type { MoveFailure } from "./move-failure.ts";
import type { MoveLimit } from "./move-limit.ts";

export interface TakeMoveOptions {
  readonly fairlead: Pick<LocalFairlead, "arrive" | "flushIndex">;
  /** The id of this host. */
  readonly host: string;
  /** Counts a session that is being taken until the result is disposed. */
  readonly reserve: (session: string) => Disposable;
  /** The sessions that arrive on this host now. */
  readonly arrivals: MoveLimit;
  /** Milliseconds that a job waits for others on this host, before it returns to the queue. Default: 10 s. */
  readonly maxWait?: number;
  /** Receives each session that this host could not take. Must not throw. */
  readonly onFailure: (failure: MoveFailure) => void;
}

/** Milliseconds for which a host that refused a session leaves its job to others. */
const othersFirst = 250;
/** How often a host that refused a session returns its job to the queue, before it tries again. */
const maxReturns = 20;
/**
 * Sessions that a host takes over at the same time: each clones a workspace and restores files. An arrival mostly waits for the
 * servers, for disks and for git, and the one that has to clone last decides when all answer.
 */
export const maxArrivals = 32;
const defaultMaxWait = 10_000;

/** Takes a session over. Returns null if the job must return to the queue, for another host. */
export async function takeMove(ticket: Ticket, options: TakeMoveOptions): Promise<MoveOutcome | null> {
  const { fairlead, host, reserve, arrivals, maxWait = defaultMaxWait, onFailure } = options;
  const parsed = MoveJob.safeParse(ticket.job.params);
  if (!parsed.success) {
    const problem = { code: "invalid-request", message: "This version of the host cannot read the job." } as const;
    return { host, problem };
  }
  const { session, refusedBy } = parsed.data;
  if (refusedBy.includes(host) && ticket.attempt < maxReturns) {
    await delay(othersFirst);
    return null;
  }
  // Before the first wait, so that the host takes no more jobs than it has room for.
  using _place = reserve(session);
  using place = arrivals.place();
  try {
    await place.take(AbortSignal.timeout(maxWait));
  } catch {
    return null;
  }
  try {
    const arrival = await fairlead.arrive(session);
    await fairlead.flushIndex();
    return { host, arrival };
  } catch (error) {
    onFailure({ session, move: "arrival", error });
    const { code, message } = FairleadError.isInstance(error)
      ? error
      : new FairleadError("unavailable", "The host failed to take the session. Its log has the details.");
    return { host, problem: { code, message } };
  }
}
