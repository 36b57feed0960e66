import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Engine, Ticket } from "@fairlead/engine";
import { idFromKey } from "@fairlead/runtime";
import { scopeKey, type LocalFairlead } from "@fairlead/service";
import { toCommandOptions } from "../method-call.ts";
import { moveJobKind, type MoveOutcome } from "../move-job.ts";
import { StartJob, startJobKind, type StartOutcome } from "../start-job.ts";

/** Milliseconds between two looks at a start that another host has begun. */
const checkPause = 500;

export interface StartTakerOptions {
  readonly engine: Pick<Engine, "queue" | "log" | "hosts">;
  readonly fairlead: Pick<LocalFairlead, "start" | "flushIndex">;
  readonly pool: string;
  /** Takes a session over from another host. Returns null to return the job to the queue. */
  readonly takeMove: (ticket: Ticket) => Promise<MoveOutcome | null>;
  /** Resolves when the host has room for one more session. */
  readonly waitForRoom: (signal: AbortSignal) => Promise<void>;
  /** Counts a session that is being started until the result is disposed. */
  readonly reserve: (session: string) => Disposable;
  /** Receives errors of the queue, and those of starts that their callers do not see. Must not throw. */
  readonly onError: (error: unknown) => void;
}

/** Takes starts and moves from the queue of a pool while the host has room, and does them. */
export class StartTaker {
  readonly #options: StartTakerOptions;
  readonly #starts = new Set<Promise<void>>();

  constructor(options: StartTakerOptions) {
    this.#options = options;
  }

  /** Takes jobs until the signal aborts, then waits for the starts that have begun. Throws if the queue fails. */
  async take(signal: AbortSignal): Promise<void> {
    const { engine, pool, waitForRoom } = this.#options;
    try {
      await waitForRoom(signal);
      for await (const ticket of engine.queue.take(pool, signal)) {
        const start = this.#do(ticket);
        this.#starts.add(start);
        void start.finally(() => this.#starts.delete(start));
        // The next job is taken by asking for it.
        await waitForRoom(signal);
      }
    } finally {
      await Promise.all(this.#starts);
    }
  }

  /** Never rejects: an error returns the job to the queue. */
  async #do(ticket: Ticket): Promise<void> {
    const extending = setInterval(() => void ticket.extend().catch(() => {}), ticket.lease / 3);
    try {
      await using _ticket = ticket;
      const isMove = ticket.job.kind === moveJobKind;
      const outcome = isMove ? await this.#options.takeMove(ticket) : await this.#start(ticket);
      if (outcome !== null) await ticket.done(outcome);
    } catch (error) {
      this.#options.onError(error);
    } finally {
      clearInterval(extending);
    }
  }

  async #start({ job }: Ticket): Promise<StartOutcome> {
    const parsed = StartJob.safeParse(job.params);
    if (job.kind !== startJobKind || !parsed.success) {
      return toProblem(new FairleadError("invalid-request", "This version of the host cannot read the job."));
    }
    const { id, request, digest, options, expiresAt } = parsed.data;
    const about = { job: id, digest };
    try {
      const session = idFromKey(scopeKey(options.key, options.caller));
      // Before the first wait, so that the next job is not taken without it.
      using _place = this.#options.reserve(session);
      const beginning = await this.#findBeginning(session);
      if (beginning === "elsewhere") return { ...about, session, isPromptUnknown: true };
      if (beginning === "none" && Date.parse(expiresAt) < Date.now())
        throw new FairleadError("unavailable", "No host had room for the session in time. Start it again.");
      try {
        await this.#options.fairlead.start(request, toCommandOptions(options));
      } catch (error) {
        if (beginning === "none") throw error;
        // The session exists, and another host may be able to take it.
        this.#options.onError(error);
        return { ...about, session, isPromptUnknown: true };
      }
      await this.#options.fairlead.flushIndex();
      return { ...about, session };
    } catch (error) {
      if (!FairleadError.isInstance(error)) this.#options.onError(error);
      return { ...about, ...toProblem(error) };
    }
  }

  /**
   * Finds what another host has done of the start, and could not store as the outcome. Waits while that host is alive and has only
   * claimed the session: it lost its connection for longer than the lease, and continues. A caller that was told to start again
   * would have two sessions. To start a session again that a lost host has begun takes it over, and sends what was not sent.
   */
  async #findBeginning(session: string): Promise<"none" | "elsewhere" | "lost"> {
    const { log, hosts } = this.#options.engine;
    for (;;) {
      const { epoch, last, owner } = await log.tail(session);
      if (epoch === 0 || !hosts.isElsewhere(owner)) return "none";
      // The claim of this host fences the one of the lost host.
      if (!(await hosts.isAlive(owner))) return last > 0 ? "lost" : "none";
      if (last > 0) return "elsewhere";
      await delay(checkPause);
    }
  }
}

function toProblem(error: unknown): StartOutcome {
  const { code, message } = FairleadError.isInstance(error)
    ? error
    : new FairleadError("unavailable", "The host failed to start the session. Its log has the details.");
  return { problem: { code, message } };
}
