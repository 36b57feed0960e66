import { RunEvent, type RunEventBody } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import {
  type EventBatch,
  type LogChanges,
  type LogPosition,
  type LogTail,
  openSqliteLog,
  type SqliteLog,
} from "@fairlead/journal";
import { KeyedMutex } from "@fairlead/runtime";
import { z } from "zod";

/** An event as it is stored. The key names the call that appended it. */
const StoredRunEvent = z.strictObject({ key: z.string(), event: RunEvent });

/** What the log keeps in memory about an open run, so that an append reads only what other processes appended since. */
interface RunState {
  tail: LogTail;
  /** The last event that is in `events`. */
  last: number;
  hasEnded: boolean;
  readonly events: Map<string, RunEvent>;
}

type DecisionResolved = Extract<RunEventBody, { type: "decision.resolved" }>;

/** The events of all runs, in a journal of their own. Several processes may open one file. */
export class RunLog implements AsyncDisposable {
  readonly #log: SqliteLog;
  readonly #states = new Map<string, RunState>();
  readonly #mutex = new KeyedMutex();

  private constructor(log: SqliteLog) {
    this.#log = log;
  }

  static async open(file: string): Promise<RunLog> {
    return new RunLog(await openSqliteLog({ file }));
  }

  /** Appends an event once per key of a run: a repeated key returns the event of the first call, whatever its body is. */
  async append(run: string, key: string, body: RunEventBody): Promise<RunEvent> {
    return await this.#mutex.run(run, async () => {
      try {
        const event = await this.#append(run, key, body);
        // An ended run gets no more events, except from a repeated call, which reads the run again.
        if (this.#states.get(run)?.hasEnded === true) this.#states.delete(run);
        return event;
      } catch (error) {
        // After `unavailable`, the event may have been written. The next call reads whether it was.
        this.#states.delete(run);
        throw error;
      }
    });
  }

  /** Resolves a decision once. Returns the resolution that counts, which may be an earlier one. */
  async resolve(run: string, body: DecisionResolved): Promise<DecisionResolved> {
    const event = await this.append(run, `decision:${body.decision}`, body);
    if (event.body.type === "decision.resolved") return event.body;
    throw new FairleadError("corrupt", `The key of decision ${body.decision} belongs to an event of another type.`);
  }

  /** Reads the events of a run. Returns none for a run that does not exist. */
  async read(run: string, after = 0): Promise<readonly RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const batch of this.#log.read(run, after)) events.push(...decode(batch).map(({ event }) => event));
    return events;
  }

  /** Reads the events of a run, then yields each event as any process appends it, until the signal aborts. */
  async *watch(run: string, after: number, signal: AbortSignal): AsyncGenerator<RunEvent, void> {
    for await (const batch of this.#log.watch(run, after, signal)) yield* decode(batch).map(({ event }) => event);
  }

  /** Returns the number of the last event of a run; 0 for a run that does not exist. */
  async last(run: string): Promise<number> {
    return (await this.#log.tail(run)).last;
  }

  async has(run: string): Promise<boolean> {
    return (await this.last(run)) > 0;
  }

  /** Lists the runs, newest activity first. */
  async *runs(): AsyncGenerator<string, void> {
    // A run that was claimed, but whose first event was not written because of a crash, has not been started.
    for (const run of (await this.changes(null)).sessions) if (await this.has(run)) yield run;
  }

  /** Lists the runs that have events after a position; all runs for null. */
  async changes(after: LogPosition | null): Promise<LogChanges> {
    return await this.#log.changes(after);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log[Symbol.asyncDispose]();
  }

  async #append(run: string, key: string, body: RunEventBody): Promise<RunEvent> {
    for (;;) {
      const state = this.#states.get(run) ?? (await this.#readState(run));
      const known = state.events.get(key);
      if (known !== undefined) return known;
      const event = RunEvent.parse({ run, seq: state.last + 1, at: new Date().toISOString(), body });
      const data = new TextEncoder().encode(JSON.stringify({ key, event }));
      const { epoch, fence, owner } = state.tail;
      try {
        const next = await this.#log.append({ session: run, epoch, first: event.seq, events: [data], owner }, fence);
        state.tail = { epoch, owner, last: event.seq, fence: next };
        remember(state, key, event);
        return event;
      } catch (error) {
        // Another process has appended since. Its event may be the one of this key. One of two competing processes always
        // succeeds, because neither claims the run again.
        if (!FairleadError.is(error, "fenced")) throw error;
        await this.#readOn(run, state);
      }
    }
  }

  async #readState(run: string): Promise<RunState> {
    let tail = await this.#log.tail(run);
    if (tail.epoch === 0) {
      await this.#log.claim(run, String(process.pid));
      tail = await this.#log.tail(run);
    }
    const state: RunState = { tail, last: 0, hasEnded: false, events: new Map() };
    await this.#readOn(run, state);
    this.#states.set(run, state);
    return state;
  }

  async #readOn(run: string, state: RunState): Promise<void> {
    // The tail is read first: an event that is appended in between is read, and the next append is fenced and reads again.
    state.tail = await this.#log.tail(run);
    for await (const batch of this.#log.read(run, state.last)) {
      for (const { key, event } of decode(batch)) remember(state, key, event);
    }
  }
}

function remember(state: RunState, key: string, event: RunEvent): void {
  state.events.set(key, event);
  state.last = event.seq;
  if (event.body.type === "run.ended") state.hasEnded = true;
}

function decode(batch: EventBatch): z.infer<typeof StoredRunEvent>[] {
  return batch.events.map((data) => {
    const result = StoredRunEvent.safeParse(JSON.parse(new TextDecoder().decode(data)));
    if (result.success) return result.data;
    throw new FairleadError("corrupt", `An event of run ${batch.session} cannot be read: ${result.error.message}`);
  });
}
