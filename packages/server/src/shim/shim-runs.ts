import { FairleadError } from "@fairlead/contract";
import type { AdapterEvent } from "./events/adapter-event.ts";
import { toRunId } from "./events/shim-ids.ts";
import type { ShimSession } from "./shim-session.ts";

export interface ShimStreamOptions {
  /** The run to begin with. Default, also for an unknown run: the newest. */
  readonly run?: string | undefined;
  /** Skips events of that run up to this sequence. */
  readonly after: number;
  readonly signal: AbortSignal;
}

interface ShimRun {
  readonly session: ShimSession;
  /** Aborted when the next run replaces this one. */
  readonly replaced: AbortController;
}

/** The runs of this shim, in order. */
export class ShimRuns {
  readonly #runs: ShimRun[] = [];
  #nextRun = Promise.withResolvers<void>();

  get latest(): ShimSession | undefined {
    return this.#runs.at(-1)?.session;
  }

  current(): ShimSession {
    if (this.latest === undefined)
      throw new FairleadError("session-not-found", "No agent was started. Start one with: POST /spawn");
    return this.latest;
  }

  find(session: string): ShimSession | undefined {
    return this.#runs.find((run) => run.session.session === session)?.session;
  }

  add(session: ShimSession): void {
    if (this.latest === session) return;
    const previous = this.#runs.at(-1);
    this.#runs.push({ session, replaced: new AbortController() });
    previous?.replaced.abort();
    this.#nextRun.resolve();
    this.#nextRun = Promise.withResolvers();
  }

  /** Streams the events of one run from its beginning, then those of the next runs, until the signal aborts. */
  async *events({ run, after, signal }: ShimStreamOptions): AsyncGenerator<AdapterEvent> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    const namedIndex = this.#runs.findIndex(({ session }) => toRunId(session.session) === run);
    /** The last emitted sequence per run, so that a resumed run does not repeat its events. */
    const emittedSequences = new Map<string, number>();
    for (let index = namedIndex >= 0 ? namedIndex : Math.max(0, this.#runs.length - 1); !signal.aborted; index += 1) {
      while (this.#runs[index] === undefined && !signal.aborted) await Promise.race([this.#nextRun.promise, aborted]);
      const next = this.#runs[index];
      if (next === undefined) return;
      if (emittedSequences.size === 0 && (run === undefined || namedIndex >= 0))
        emittedSequences.set(toRunId(next.session.session), after);
      for await (const event of next.session.events(AbortSignal.any([signal, next.replaced.signal]))) {
        if (signal.aborted) return;
        if (event.sourceSequence <= (emittedSequences.get(event.runId) ?? 0)) continue;
        emittedSequences.set(event.runId, event.sourceSequence);
        yield event;
      }
    }
  }
}
