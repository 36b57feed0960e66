import { FairleadError } from "@fairlead/contract";
import type { AdapterEvent } from "./adapter-event.ts";
import { runIdOf } from "./shim-events.ts";
import type { ShimSession } from "./shim-session.ts";

export interface StreamOptions {
  /** The run to begin with; the newest if nobody says, or if it is not known here. */
  readonly run?: string | undefined;
  /** Everything of that run after this number. */
  readonly after: number;
  readonly signal: AbortSignal;
}

interface Run {
  readonly session: ShimSession;
  /** Aborted when the next one has taken its place. */
  readonly replaced: AbortController;
}

/** The runs that this shim has had, one after the other. */
export class Runs {
  readonly #runs: Run[] = [];
  #arrival = Promise.withResolvers<void>();

  get last(): ShimSession | undefined {
    return this.#runs.at(-1)?.session;
  }

  current(): ShimSession {
    if (this.last === undefined) throw new FairleadError("session-not-found", "No agent is running.");
    return this.last;
  }

  find(session: string): ShimSession | undefined {
    return this.#runs.find((run) => run.session.session === session)?.session;
  }

  add(session: ShimSession): void {
    if (this.last === session) return;
    const before = this.#runs.at(-1);
    this.#runs.push({ session, replaced: new AbortController() });
    before?.replaced.abort();
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers();
  }

  /** Everything that is told of one run from its beginning, then of the next, for as long as somebody listens. */
  async *events({ run, after, signal }: StreamOptions): AsyncGenerator<AdapterEvent> {
    const gone = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    const named = this.#runs.findIndex(({ session }) => runIdOf(session.session) === run);
    /** What was told already, of each run: one that is taken up again is not told again. */
    const told = new Map<string, number>();
    for (let at = named >= 0 ? named : Math.max(0, this.#runs.length - 1); !signal.aborted; at += 1) {
      while (this.#runs[at] === undefined && !signal.aborted) await Promise.race([this.#arrival.promise, gone]);
      const next = this.#runs[at];
      if (next === undefined) return;
      if (told.size === 0 && (run === undefined || named >= 0)) told.set(runIdOf(next.session.session), after);
      for await (const event of next.session.events(AbortSignal.any([signal, next.replaced.signal]))) {
        if (signal.aborted) return;
        if (event.sourceSequence <= (told.get(event.runId) ?? 0)) continue;
        told.set(event.runId, event.sourceSequence);
        yield event;
      }
    }
  }
}
