import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "@fairlead/contract";
import { openLocalEngine, type Engine, type Ticket } from "@fairlead/engine";
import type { SessionRow } from "@fairlead/journal";
import { expect, onTestFinished, test, vi } from "vitest";
import { moveJobKey, moveJobKind, type MoveJob, type MoveOutcome } from "../move-job.ts";
import { SessionMover, type MoveReport, type SessionMoverOptions } from "./session-mover.ts";

const forever = new AbortController().signal;
const problem = { code: "unavailable", message: "The repository is away." } as const;

/** An engine with a real queue and index, and sessions whose owners are `POOL dead` or `POOL alive`. */
class LostSessions {
  readonly #local: Engine;
  readonly #mover = new AsyncDisposableStack();
  readonly owners = new Map<string, string>();
  readonly reports: MoveReport[] = [];
  readonly errors: unknown[] = [];
  /** The keys of the jobs that were taken. */
  readonly taken: string[] = [];
  /** The owners about which the servers were asked. */
  readonly askedOwners: string[] = [];
  newestJoin = 0;
  newestEvent: AgentEvent = { type: "session.paused", reason: "asked" };

  private constructor(local: Engine) {
    this.#local = local;
  }

  static async open(): Promise<LostSessions> {
    const folder = mkdtempSync(join(tmpdir(), "mover-"));
    const local = await openLocalEngine({
      journalFile: join(folder, "journal.db"),
      indexFile: join(folder, "index.db"),
      indexContentVersion: 1,
      tokensFile: join(folder, "tokens.json"),
      objectsFolder: join(folder, "objects"),
    });
    const lost = new LostSessions(local);
    onTestFinished(async () => {
      await lost.#mover.disposeAsync();
      await local[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });
    return lost;
  }

  get queue(): Engine["queue"] {
    return this.#local.queue;
  }

  async add(session: string, owner: string, row: Partial<SessionRow> = {}): Promise<void> {
    this.owners.set(session, owner);
    const time = new Date().toISOString();
    await this.#local.index.put({
      session,
      epoch: 1,
      last: 1,
      owner,
      state: "idle",
      unfinished: true,
      name: null,
      agent: "scripted",
      workspace: "/srv/w",
      continues: null,
      agentSessionId: null,
      startedAt: time,
      lastAt: time,
      content: "{}",
      ...row,
    });
  }

  move(options: Partial<SessionMoverOptions> = {}): SessionMover {
    const { index, queue } = this.#local;
    const tail = async (session: string): Promise<object> => {
      const owner = this.owners.get(session) ?? "";
      return { epoch: 1, last: 2, fence: 1n, owner };
    };
    const { newestEvent: body } = this;
    const read = async function* (session: string): AsyncGenerator<object> {
      const place = { id: "e", session, sequence: 2, epoch: 1, turn: null, spool: 1, synthetic: false };
      const event = { ...place, occurredAt: new Date().toISOString(), agent: "scripted", model: null, body };
      yield { events: [Buffer.from(JSON.stringify({ v: 3, ...event }))] };
    };
    const hosts = {
      isAlive: async (owner: string) => {
        this.askedOwners.push(owner);
        return owner.endsWith("alive");
      },
      poolOf: (owner: string) => owner.split(" ")[0],
    };
    return this.#mover.use(
      new SessionMover({
        engine: { log: { tail, read } as never, hosts: hosts as never, index, queue },
        joined: { has: () => false, newestJoin: () => this.newestJoin },
        onError: (error) => void this.errors.push(error),
        onMove: (report) => void this.reports.push(report),
        interval: 50,
        ...options,
      }),
    );
  }

  /** Takes the jobs of a pool. A host that arrives is the owner then. */
  takeJobs(pool: string, answer: (session: string, ticket: Ticket) => MoveOutcome): void {
    const stop = new AbortController();
    const taking = (async () => {
      for await (const ticket of this.queue.take(pool, stop.signal)) {
        const { session } = ticket.job.params as MoveJob;
        const outcome = answer(session, ticket);
        if (outcome.arrival === "arrived") this.owners.set(session, `${pool} alive`);
        this.taken.push(ticket.key);
        await ticket.done(outcome);
      }
    })();
    this.#mover.defer(async () => {
      stop.abort();
      await taking;
    });
  }
}

test("a session that all hosts refused moves later, and each refusal is reported once", async () => {
  const lost = await LostSessions.open();
  await lost.add("s", "p dead");
  let isHealthy = false;
  lost.takeJobs("p", () => (isHealthy ? { host: "two", arrival: "arrived" } : { host: "two", problem }));
  lost.move();
  await vi.waitUntil(() => lost.reports.length >= 3, 20_000);
  expect(lost.reports.every(({ session, outcome }) => session === "s" && outcome === "refused")).toBe(true);
  expect(lost.errors).toMatchObject([{ message: "Host two cannot take session s: The repository is away." }]);
  isHealthy = true;
  await vi.waitUntil(() => lost.reports.at(-1)?.outcome === "arrived", 20_000);
  expect(new Set(lost.taken).size).toBe(lost.taken.length);
});

test("the rounds of a session that all hosts refuse become rare, until a host joins", async () => {
  const lost = await LostSessions.open();
  await lost.add("s", "p dead");
  lost.takeJobs("p", () => ({ host: "two", problem }));
  lost.move({ interval: 10 });
  const roundsOf = (): number[] => [...new Set(lost.taken.map((key) => Number(key.split(" ")[4] ?? 0)))];
  await vi.waitUntil(() => lost.reports.length >= 7, 20_000);
  for (const [index, number] of roundsOf().slice(1, 7).entries()) expect(number % 2 ** index).toBe(0);
  const { length } = roundsOf();
  lost.newestJoin = Infinity;
  await vi.waitUntil(
    () =>
      roundsOf()
        .slice(length)
        .some((number) => number % 2 === 1),
    20_000,
  );
});

test("another gateway asks no host again for an outcome that is stored", async () => {
  const lost = await LostSessions.open();
  lost.owners.set("s", "p dead");
  lost.takeJobs("p", () => ({ host: "two", problem }));
  for (const mover of [lost.move({ interval: 3_600_000 }), lost.move({ interval: 3_600_000 })]) await mover.move("s");
  expect(lost.taken).toEqual([moveJobKey("s", 1, 1), moveJobKey("s", 1, 2)]);
});

test("a session whose host was back for a while moves when the host is lost", async () => {
  const lost = await LostSessions.open();
  await lost.add("s", "p dead");
  // The host took the job of its own session.
  lost.takeJobs("p", (_, { key }) =>
    key === moveJobKey("s", 1, 1) ? { host: "one", arrival: "kept" } : { host: "two", arrival: "arrived" },
  );
  const job = { kind: moveJobKind, params: { session: "s", refusedBy: [] } };
  await lost.queue.put("p", job, moveJobKey("s", 1, 1), forever);
  lost.move();
  await vi.waitUntil(() => lost.reports.length > 0, 20_000);
  // At one look.
  expect(lost.reports).toEqual([{ session: "s", outcome: "arrived" }]);
  expect(lost.taken).toHaveLength(2);
});

test("a session that has ended is asked for once, although its row does not say so", async () => {
  const lost = await LostSessions.open();
  lost.newestEvent = { type: "session.ended", reason: "stopped", exit: null };
  await lost.add("s", "p dead");
  lost.takeJobs("p", () => ({ host: "two", arrival: "kept" }));
  const mover = lost.move({ interval: 1 });
  await vi.waitUntil(() => lost.reports.length > 0, 20_000);
  for (let call = 0; call < 20; call += 1) expect(await mover.move("s")).toBeNull();
  expect(lost.taken).toEqual([moveJobKey("s", 1, 1)]);
});

test("a job that waits for a host is put once", async () => {
  const lost = await LostSessions.open();
  await lost.add("s", "p dead");
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const late = new AbortController();
    setTimeout(() => late.abort(), 20);
    return late.signal;
  });
  onTestFinished(() => timeout.mockRestore());
  const mover = lost.move();
  for (let call = 0; call < 10; call += 1) expect(await mover.move("s")).toBeNull();
  timeout.mockRestore();
  lost.takeJobs("p", () => ({ host: "two", arrival: "arrived" }));
  await vi.waitUntil(() => lost.owners.get("s") === "p alive", 20_000);
  // The mover has seen that, and puts nothing more.
  expect(await mover.move("s")).toBeNull();
  expect(lost.taken).toEqual([moveJobKey("s", 1, 1)]);
});

test("a pool without hosts does not delay the sessions of another pool", async () => {
  const lost = await LostSessions.open();
  for (let number = 0; number < 300; number += 1) await lost.add(`a${number}`, "empty dead");
  await lost.add("s", "p dead");
  lost.takeJobs("p", () => ({ host: "two", arrival: "arrived" }));
  lost.move();
  await vi.waitUntil(() => lost.reports.length > 0, 20_000);
  expect(lost.reports).toEqual([{ session: "s", outcome: "arrived" }]);
});

test("more sessions than may move at the same time all move at one look", async () => {
  const lost = await LostSessions.open();
  for (let number = 0; number < 300; number += 1) await lost.add(`a${number}`, "p dead");
  lost.takeJobs("p", () => ({ host: "two", arrival: "arrived" }));
  lost.move({ interval: 3_600_000 });
  await vi.waitUntil(() => lost.reports.length === 300, 60_000);
  expect(lost.taken).toHaveLength(300);
});

test("of the paused sessions of lost hosts, those move whose quota was reset", async () => {
  const lost = await LostSessions.open();
  const paused = (pausedUntil: string | null): Partial<SessionRow> => ({
    state: "paused",
    unfinished: false,
    content: JSON.stringify({ summary: { pausedUntil, waitingFor: [] }, queued: [], decisions: [], usage: [] }),
  });
  const past = new Date(Date.now() - 60_000).toISOString();
  const future = new Date(Date.now() + 3_600_000).toISOString();
  await lost.add("asked", "p one dead", paused(null));
  await lost.add("later", "p two dead", paused(future));
  await lost.add("elsewhere", "p alive", paused(past));
  await lost.add("overdue", "p dead", paused(past));
  // Its host may have restarted, and wakes it.
  await lost.add("reset", "p dead", paused(new Date(Date.now() - 1000).toISOString()));
  lost.takeJobs("p", () => ({ host: "two", arrival: "arrived" }));
  lost.move({ interval: 3_600_000 });
  await vi.waitUntil(() => lost.reports.length > 0, 20_000);
  expect(lost.reports).toEqual([{ session: "overdue", outcome: "arrived" }]);
  // Most paused sessions wait for a person, and the servers are asked for none of their owners.
  expect(new Set(lost.askedOwners)).toEqual(new Set(["p alive", "p dead"]));
});

test("looks at all sessions once a minute while all hosts are alive, and at once when one is gone", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const queries: object[] = [];
  const page = async (query: object): Promise<object> => {
    // The look at damaged ones belongs to the one at paused ones.
    if (!JSON.stringify(query).includes("damaged")) queries.push(query);
    return { rows: [], next: null };
  };
  const engine = { index: { page }, log: {}, hosts: {}, queue: {} } as never;
  await using mover = new SessionMover({ engine, joined: { has: () => true, newestJoin: () => 0 }, onError: () => {} });
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  const open = queries.filter((query) => "unfinished" in query).length;
  // At the start, and soon after it.
  expect(open).toBeLessThanOrEqual(12);
  expect(queries.length - open).toBeLessThanOrEqual(11);
  await vi.advanceTimersByTimeAsync(30_000);
  queries.length = 0;
  for (let host = 0; host < 100; host += 1) mover.hostGone();
  await vi.advanceTimersByTimeAsync(100);
  expect(queries).toEqual([{ unfinished: true }]);
  // Rows may have been behind.
  await vi.advanceTimersByTimeAsync(6000);
  expect(queries).toEqual([{ unfinished: true }, { unfinished: true }]);
});
