import { setImmediate as nextTurn } from "node:timers/promises";
import { type DecisionView, type OverviewFrame, overviewEndedSessions, type SessionView } from "@fairlead/api";
import { ConnectionLost, RemoteFairlead, type Transport } from "@fairlead/client";
import { OverviewReader } from "@fairlead/testing/service/overview-reader.ts";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OverviewState } from "./overview-state.ts";

// The client waits before it connects again.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

type Step =
  | { readonly type: "put"; readonly session: string; readonly state: SessionView["state"] }
  | { readonly type: "remove"; readonly session: string }
  | { readonly type: "ask"; readonly session: string; readonly decisions: readonly string[] }
  | { readonly type: "read" | "cut" | "cut after a frame" | "restart" | "end many" | "forget many" };

const session = fc.constantFrom("a", "b");
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: put() },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("remove" as const), session }) },
    { weight: 3, arbitrary: ask() },
    { weight: 6, arbitrary: fc.constant({ type: "read" } as const) },
    { weight: 2, arbitrary: fc.constant({ type: "cut" } as const) },
    { weight: 2, arbitrary: fc.constant({ type: "cut after a frame" } as const) },
    { weight: 1, arbitrary: fc.constant({ type: "restart" } as const) },
    { weight: 1, arbitrary: fc.constant({ type: "end many" } as const) },
    { weight: 1, arbitrary: fc.constant({ type: "forget many" } as const) },
  ),
  { maxLength: 40, size: "max" },
);

function put(): fc.Arbitrary<Step> {
  const state = fc.constantFrom<SessionView["state"][]>("idle", "working", "paused", "ended");
  return fc.record({ type: fc.constant("put" as const), session, state });
}

function ask(): fc.Arbitrary<Step> {
  const decisions = fc.uniqueArray(fc.constantFrom("1", "2", "3"));
  return fc.record({ type: fc.constant("ask" as const), session, decisions });
}

/** An overview that changes, and connections to it that can be cut. */
class CutService {
  state = new OverviewState("first");
  #restarts = 0;
  #views = 0;
  #cut: "now" | "after a frame" | null = null;
  #changed = Promise.withResolvers<void>();

  readonly transport: Transport = {
    open: (path: string, signal: AbortSignal) => this.#open(path, signal),
  } as unknown as Transport;

  apply(step: Step): void {
    const { state } = this;
    if (step.type === "put") this.#put(step.session, step.state);
    if (step.type === "remove") state.remove(step.session);
    if (step.type === "ask") this.#ask(step.session, step.decisions);
    if (step.type === "end many") this.#endMany();
    if (step.type === "forget many") this.#forgetMany();
    if (step.type === "cut") this.#cut = "now";
    if (step.type === "cut after a frame") this.#cut = "after a frame";
    if (step.type === "restart") this.#restart();
    this.notify();
  }

  notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #isCut(): boolean {
    return this.#cut === "now";
  }

  #put(session: string, state: SessionView["state"]): void {
    const lastAt = new Date(++this.#views).toISOString();
    this.state.put({ session, state, title: `view ${this.#views}`, lastAt } as SessionView);
  }

  #ask(session: string, decisions: readonly string[]): void {
    const views = decisions.map((decision) => ({ session, decision, digest: `${decision}${session}` }) as DecisionView);
    this.state.putDecisions(session, views);
  }

  /** More than are kept, and with two of them more than a frame has. */
  #endMany(): void {
    for (let index = 0; index < overviewEndedSessions + 10; index += 1) this.#put(`ended ${this.#views}`, "ended");
    for (let index = 0; index < 350; index += 1) this.#put(`paused ${index}`, "paused");
    this.state.trim();
  }

  /** More than are remembered for readers that are behind. */
  #forgetMany(): void {
    for (let index = 0; index < 4100; index += 1) {
      this.#put(`short ${index}`, "idle");
      this.state.remove(`short ${index}`);
    }
  }

  /** A daemon that is replaced has the same sessions, and other numbers. */
  #restart(): void {
    const before = this.state;
    this.state = new OverviewState(`restart ${++this.#restarts}`);
    for (const view of before.views) this.state.put(view);
    const { decisions } = readWhole(before);
    const bySession = Map.groupBy(decisions.values(), (view) => view.session);
    for (const [session, views] of bySession) this.state.putDecisions(session, views);
    this.#cut = "now";
  }

  async *#open(path: string, signal: AbortSignal): AsyncGenerator<string> {
    if (this.#isCut()) this.#cut = null;
    const { state } = this;
    let reader = state.parsePosition(new URL(path, "http://service").searchParams.get("after") ?? undefined);
    let isBehind = true;
    while (!signal.aborted) {
      if (this.#isCut() || state !== this.state) throw new ConnectionLost("The connection was cut.");
      const next = state.nextFrame(reader, isBehind);
      if (next === undefined) await Promise.race([this.#changed.promise, untilAborted(signal)]);
      if (next === undefined) continue;
      ({ reader } = next);
      isBehind = !next.frame.caughtUp;
      yield JSON.stringify({ overview: next.frame });
      if (this.#cut === "after a frame") {
        this.#cut = null;
        throw new ConnectionLost("The connection was cut.");
      }
    }
  }
}

/** A client that reads a frame when it is asked to. */
class SlowFollower {
  readonly reader = new OverviewReader();
  readonly #frames: AsyncIterator<OverviewFrame>;
  #isReading = false;

  constructor(transport: Transport, signal: AbortSignal) {
    this.#frames = new RemoteFairlead(transport).overview({ signal })[Symbol.asyncIterator]();
  }

  /** Reads a frame if the service has one. Otherwise the next call gets it. */
  async read(): Promise<void> {
    if (!this.#isReading) void this.#readNext();
    await vi.advanceTimersByTimeAsync(3000);
    await nextTurn();
  }

  async #readNext(): Promise<void> {
    this.#isReading = true;
    const { value, done } = await this.#frames.next();
    if (done !== true) this.reader.apply(value);
    this.#isReading = false;
  }
}

const a = { session: "a", state: "idle" } as const;

test("a client has the state of a new one after any changes, cuts and restarts", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const leaving = new AbortController();
      const service = new CutService();
      const follower = new SlowFollower(service.transport, leaving.signal);
      for (const step of list) {
        if (step.type === "read") await follower.read();
        else service.apply(step);
      }
      service.state.isComplete = true;
      service.notify();
      const position = (): string =>
        service.state.emptyFrame({ number: service.state.number, removals: service.state.number }).position;
      for (let reads = 0; reads < 50 && follower.reader.position !== position(); reads += 1) await follower.read();
      expect(follower.reader.position).toBe(position());
      expect(contentOf(follower.reader)).toEqual(contentOf(readWhole(service.state)));
      leaving.abort();
      service.notify();
    }),
    {
      numRuns: 60,
      examples: [
        // A session that is removed and comes back between two frames.
        [[{ type: "put", ...a }, { type: "read" }, { type: "remove", session: "a" }, { type: "put", ...a }]],
        // A first state of several frames, of which all views are older than the removals that are remembered.
        [[{ type: "end many" }, { type: "forget many" }, { type: "read" }, { type: "cut" }]],
      ],
    },
  );
}, 60_000);

function readWhole(state: OverviewState): OverviewReader {
  const whole = new OverviewReader();
  for (let next = state.nextFrame(null, false); next !== undefined; next = state.nextFrame(next.reader, false))
    whole.apply(next.frame);
  return whole;
}

function contentOf({ sessions, decisions, counts }: OverviewReader): object {
  const sorted = <View>(views: ReadonlyMap<string, View>): [string, View][] =>
    [...views].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { sessions: sorted(sessions), decisions: sorted(decisions), counts };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
}
