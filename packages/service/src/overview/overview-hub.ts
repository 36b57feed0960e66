import { randomUUID } from "node:crypto";
import { overviewHeartbeatMs, zeroCounts, type OverviewFrame, type OverviewOptions } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { realClock, type Clock } from "@fairlead/runtime";
import { OverviewRun } from "./overview-run.ts";
import type { NumberedFrame } from "./overview-state.ts";
import type { OverviewSource } from "./overview-source.ts";

/** How long the views are kept current without a follower, for one that reconnects. */
const keepMs = 30_000;

/**
 * Gives all followers of the overview the same views, which are built once. It watches the sessions while it has followers,
 * and a short time after. A follower costs a number, however slowly it reads.
 */
export class OverviewHub implements AsyncDisposable {
  readonly #source: OverviewSource;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #run: OverviewRun | undefined;
  #followers = 0;
  #stopTimer: Disposable | undefined;

  constructor(source: OverviewSource, clock: Clock = realClock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Records that the view of a session may have changed. Its cost is that of adding to a set. */
  touch(session: string): void {
    this.#run?.touch(session);
  }

  async *follow({ after, signal: stop }: OverviewOptions = {}): AsyncGenerator<OverviewFrame> {
    const signal = stop === undefined ? this.#closing.signal : AbortSignal.any([stop, this.#closing.signal]);
    const run = this.#join();
    try {
      for await (const frame of this.#frames(run, after, signal)) yield { ...frame, now: this.#time() };
    } finally {
      this.#leave();
    }
    if (this.#closing.signal.aborted) throw new FairleadError("unavailable", "The service is closing.");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#stopTimer?.[Symbol.dispose]();
    await this.#run?.[Symbol.asyncDispose]();
  }

  async *#frames(run: OverviewRun, after: string | undefined, signal: AbortSignal): AsyncGenerator<OverviewFrame> {
    const { state } = run;
    let reader = state.parsePosition(after);
    let isBehind = true;
    let isFirst = true;
    while (!signal.aborted) {
      run.throwIfFailed();
      const next: NumberedFrame | undefined = run.isLoaded ? state.nextFrame(reader, isBehind) : undefined;
      if (next !== undefined) {
        ({ reader } = next);
        isBehind = !next.frame.caughtUp;
        isFirst = false;
        yield next.frame;
      } else if (await run.changes.waitAtMost(overviewHeartbeatMs, this.#clock, signal)) {
        // Before its first frame, a reader still has the state of its own position.
        yield isFirst || reader === null ? waitingFrame(after) : state.emptyFrame(reader);
      }
    }
  }

  #time(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  #join(): OverviewRun {
    this.#stopTimer?.[Symbol.dispose]();
    this.#followers += 1;
    if (this.#run?.isEnded !== false) {
      this.#run = new OverviewRun(randomUUID().slice(0, 8), this.#source, this.#clock);
    }
    return this.#run;
  }

  #leave(): void {
    this.#followers -= 1;
    if (this.#followers > 0 || this.#closing.signal.aborted) return;
    this.#stopTimer = this.#clock.after(keepMs, () => {
      void this.#run?.[Symbol.asyncDispose]();
      this.#run = undefined;
    });
  }
}

/** Shows that the connection is alive while the state is being read. */
function waitingFrame(position = ""): OverviewFrame {
  const nothing = { sessions: [], removed: [], decisions: [], closed: [], counts: zeroCounts() };
  return { reset: false, ...nothing, caughtUp: false, position };
}
