import { OverviewReader } from "@fairlead/testing/service/overview-reader.ts";
import { exampleSession } from "@fairlead/testing/web/example-session.ts";
import { expect, test } from "vitest";
import { OverviewHub } from "./overview-hub.ts";
import type { OverviewSource } from "./overview-source.ts";

type SessionRow = NonNullable<Awaited<ReturnType<OverviewSource["index"]["get"]>>>;
type SessionRowChange =
  ReturnType<OverviewSource["index"]["watch"]> extends AsyncIterable<infer Change> ? Change : never;

/** Sessions of other hosts, in an index that the test changes. */
class FakeFleet {
  readonly lost = new Set<string>();
  /** The sessions whose owner was asked for. */
  readonly asked: string[] = [];
  /** How often ended sessions were counted. */
  looks = 0;
  onAsked: (session: string) => Promise<void> = async () => {};
  readonly #rows = new Map<string, SessionRow>();
  #changed = Promise.withResolvers<SessionRowChange>();

  /** Writes a row. Without `isNoticed`, the index says nothing of it, as for sessions that have ended. */
  put(session: string, state: string, { last = 1, isNoticed = true } = {}): void {
    const content = JSON.stringify({ summary: { session, state, waitingFor: [] } });
    const row = { session, state, last, lastAt: `2026-${last}`, owner: "other", content } as SessionRow;
    this.#rows.set(session, row);
    if (isNoticed) this.#changed.resolve({ session, row });
    if (isNoticed) this.#changed = Promise.withResolvers();
  }

  /** As another process does it. The index says nothing of the rows of ended sessions. */
  forget(session: string): void {
    this.#rows.delete(session);
  }

  open(): OverviewHub {
    const source: Omit<OverviewSource, "index"> & { readonly index: object } = {
      index: {
        replacements: 0,
        get: async (session: string) => this.#rows.get(session),
        count: async () => {
          this.looks += 1;
          return [{ count: this.#find(["ended"]).length }];
        },
        page: async ({ states }: { states: readonly string[] }, { limit }: { limit: number }) => {
          return { rows: this.#find(states).slice(0, limit), next: null };
        },
        watch: (_: unknown, signal: AbortSignal) => this.#watch(signal),
      },
      waitUntilComplete: async () => {},
      driven: () => undefined,
      view: async ({ summary }) => {
        const { session = "" } = summary ?? {};
        const state = this.lost.has(session) ? "lost" : (summary?.state ?? "idle");
        const { last = 0, lastAt = "" } = this.#rows.get(session) ?? {};
        return exampleSession({ session, state, last, lastAt });
      },
      isLost: async (session) => {
        this.asked.push(session);
        await this.onAsked(session);
        return this.lost.has(session);
      },
      runDecisions: async () => [],
    };
    return new OverviewHub(source as OverviewSource);
  }

  #find(states: readonly string[]): SessionRow[] {
    const rows = [...this.#rows.values()].filter(({ state }) => states.includes(state));
    return rows.toSorted((one, other) => other.last - one.last);
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<SessionRowChange> {
    const aborted = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
    for (;;) {
      const change = await Promise.race([this.#changed.promise, aborted]);
      if (change === null) return;
      yield change;
    }
  }
}

test("a server that does not answer for one owner delays no other session", { timeout: 20_000 }, async () => {
  const fleet = new FakeFleet();
  const stuck = Promise.withResolvers<void>();
  fleet.onAsked = (session) => (session === "stuck" ? stuck.promise : Promise.resolve());
  fleet.put("stuck", "idle");
  fleet.put("other", "idle");
  await using hub = fleet.open();
  const fairlead = { overview: hub.follow.bind(hub) };
  const reader = new OverviewReader();
  await reader.readUntil(fairlead, () => fleet.asked.includes("stuck"));
  fleet.put("other", "working", { last: 2 });
  await reader.readUntil(fairlead, () => reader.stateOf("other") === "working");
});

test("asks for all owners at once, and shows whose sessions are lost", { timeout: 20_000 }, async () => {
  const fleet = new FakeFleet();
  const sessions = ["one", "two", "three"];
  for (const session of sessions) fleet.put(session, "idle");
  const all = Promise.withResolvers<void>();
  fleet.onAsked = async () => {
    if (new Set(fleet.asked).size === sessions.length) all.resolve();
    await all.promise;
  };
  await using hub = fleet.open();
  const fairlead = { overview: hub.follow.bind(hub) };
  const reader = new OverviewReader();
  await reader.readUntil(fairlead);
  for (const session of sessions) fleet.lost.add(session);
  await reader.readUntil(fairlead, () => sessions.every((session) => reader.stateOf(session) === "lost"));
});

test("one that ended and another that was forgotten between two looks are both seen", { timeout: 20_000 }, async () => {
  const fleet = new FakeFleet();
  fleet.put("old", "ended");
  await using hub = fleet.open();
  const fairlead = { overview: hub.follow.bind(hub) };
  const reader = new OverviewReader();
  await reader.readUntil(fairlead, () => reader.stateOf("old") === "ended");
  const { looks } = fleet;
  await expect.poll(() => fleet.looks, { timeout: 15_000 }).toBeGreaterThan(looks + 2);
  // The number of ended sessions is as before.
  fleet.put("new", "ended", { last: 2, isNoticed: false });
  fleet.forget("old");
  await reader.readUntil(fairlead, () => reader.stateOf("new") === "ended" && reader.sessions.size === 1);
  expect(reader.counts?.ended).toBe(1);
});
