import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AgentEvent, Event } from "@fairlead/contract";
import { openSqliteIndex, openSqliteLog, type Journal, type SessionIndex, type SessionRow } from "@fairlead/journal";
import { historyBodies, writeHistory } from "@fairlead/testing/runtime/write-history.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { damagedSummary } from "../sessions/damaged-summary.ts";
import { SessionProjections } from "./session-projections.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "projections-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The first event of session `s`. */
function firstEvent(body: AgentEvent): Event {
  const envelope = { id: "1", session: "s", epoch: 1, turn: null, agent: "scripted", model: null };
  return { ...envelope, sequence: 1, occurredAt: new Date(0).toISOString(), spool: 1, synthetic: false, body };
}

/** A process: its own connections, and a record of what it reads from the journal and writes into the index. */
class TestProcess implements AsyncDisposable {
  readonly journal: Journal;
  index: SessionIndex;
  /** How often the index was replaced, as after damage of its file. */
  replacements = 0;
  /** Errors of the next updates. */
  readonly updateErrors: Error[] = [];
  readonly reported: unknown[] = [];
  readonly projections: SessionProjections;
  readonly eventReads: string[] = [];
  readonly tailReads: string[] = [];
  readonly puts: SessionRow[] = [];
  /** Sessions that were paused and then resumed, which only their spools show. */
  readonly resumed = new Set<string>();

  private constructor(journal: Journal, index: SessionIndex, errors: readonly Error[]) {
    this.updateErrors.push(...errors);
    this.journal = journal;
    this.index = index;
    this.projections = new SessionProjections({
      index: new Proxy(index, { get: (_, name) => this.#observeIndex(this.index, name) }),
      journal: new Proxy(journal, { get: (target, name) => this.#observeJournal(target, name) }),
      owner: "this process",
      onUpdateFailure: (error) => this.reported.push(error),
      isUnfinished: async (session) => {
        const events = await Array.fromAsync(journal.read(session, 0)).catch(() => []);
        const text = Buffer.from(events.at(-1)?.events.at(-1) ?? []).toString();
        return !text.includes("session.ended") && (!text.includes("session.paused") || this.resumed.has(session));
      },
      summarizeDamaged: async (session, error, known) =>
        damagedSummary({ session, known, problem: String(error), end: null, lastAt: new Date(0).toISOString() }),
    });
  }

  static async open({ isComplete = true, errors = [] as Error[] } = {}): Promise<TestProcess> {
    const journal = await openSqliteLog({ file: join(folder, "journal.db") });
    const opened = new TestProcess(
      journal,
      await openSqliteIndex({ file: join(folder, "index.db"), contentVersion: 1 }),
      errors,
    );
    if (isComplete) await opened.projections.waitUntilComplete();
    return opened;
  }

  async rows(): Promise<SessionRow[]> {
    return await Array.fromAsync(this.projections.list({}));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.projections[Symbol.asyncDispose]();
    await this.index[Symbol.asyncDispose]();
    await this.journal[Symbol.asyncDispose]();
  }

  #observeIndex(target: SessionIndex, name: string | symbol): unknown {
    if (name === "replacements") return this.replacements;
    const value: unknown = Reflect.get(target, name);
    if (name !== "put") return typeof value === "function" ? value.bind(target) : value;
    return (row: SessionRow) => {
      this.puts.push(row);
      return target.put(row);
    };
  }

  #observeJournal(target: Journal, name: string | symbol): unknown {
    const failure = name === "changes" ? this.updateErrors.shift() : undefined;
    if (failure !== undefined) return () => Promise.reject(failure);
    const value: unknown = Reflect.get(target, name);
    if (name === "read")
      return (session: string, after: number) => {
        this.eventReads.push(`${session} after ${after}`);
        return target.read(session, after);
      };
    if (name === "tail")
      return (session: string) => {
        this.tailReads.push(session);
        return target.tail(session);
      };
    return typeof value === "function" ? value.bind(target) : value;
  }
}

test("an index that is replaced at run time is complete only when it was rebuilt, with the sessions that are driven", async () => {
  await using process = await TestProcess.open();
  for (const session of ["one", "two"]) await writeHistory(process.journal, { session, state: "ended" });
  await writeHistory(process.journal, { session: "driven", state: "working" });
  await process.projections.track("driven", await process.journal.claim("driven", "this process")).caughtUp;
  for (const session of ["one", "two"]) await process.projections.refresh(session);
  expect(await process.rows()).toHaveLength(3);
  await using replaced = await openSqliteIndex({ file: join(folder, "replaced.db"), contentVersion: 1 });
  const before = process.index;
  process.index = replaced;
  process.replacements += 1;
  expect(await process.projections.waitUntilComplete()).toBe(true);
  expect((await process.rows()).map(({ session }) => session)).toEqual(["driven", "one", "two"]);
  process.index = before;
});

test("reports once that the index cannot be updated, and repeats the update", async () => {
  await using process = await TestProcess.open({ isComplete: false, errors: [new Error("one"), new Error("two")] });
  await process.projections.waitUntilComplete();
  expect(process.reported).toEqual([new Error("one")]);
});

test("rebuilds a lost index, and has the same rows as before", async () => {
  let before: SessionRow[];
  {
    await using process = await TestProcess.open();
    for (const state of ["ended", "paused", "working"] as const) {
      await writeHistory(process.journal, { session: state, state, name: `name ${state}`, continues: "other" });
    }
    await using reader = await TestProcess.open();
    before = await reader.rows();
    expect(before).toMatchObject([
      { session: "ended", state: "ended", unfinished: false, name: "name ended", continues: "other" },
      { session: "paused", state: "paused", unfinished: false },
      { session: "working", state: "working", unfinished: true },
    ]);
    expect(reader.projections.projectionOf(before[0]!).usage).toMatchObject([{ cost: 0.5, tokens: { output: 2 } }]);
  }
  for (const file of ["index.db", "index.db-wal", "index.db-shm"]) rmSync(join(folder, file), { force: true });
  await using process = await TestProcess.open();
  expect(await process.rows()).toEqual(before);
});

test("a start reads neither events nor ends of sessions whose rows are current, and of others only what is new", async () => {
  const counts: number[] = [];
  for (const session of ["a", "b", "c"]) {
    await using process = await TestProcess.open();
    counts.push(await writeHistory(process.journal, { session, texts: 10 }));
    await writeHistory(process.journal, { session: `old ${session}`, texts: 10, state: "paused" });
  }
  {
    await using process = await TestProcess.open();
    expect(process.eventReads).toEqual(["c after 0", "old c after 0"].toReversed());
    await writeHistory(process.journal, { session: "old a", texts: 3 });
  }
  await using process = await TestProcess.open();
  // The events of a second start restart the fold, so only its rows count here.
  expect(process.eventReads).toEqual([`old a after ${counts[0]}`]);
  expect(new Set(process.tailReads)).toEqual(new Set(["old a"]));
  expect(await process.rows()).toHaveLength(6);

  await using again = await TestProcess.open();
  expect([...again.eventReads, ...again.tailReads, ...again.puts]).toEqual([]);
  expect(await Array.fromAsync(again.projections.listUnfinished())).toEqual([]);
  expect([...again.eventReads, ...again.tailReads]).toEqual([]);
});

test("lists the sessions that a process must drive, before it has read their events", async () => {
  {
    await using process = await TestProcess.open();
    for (const state of ["ended", "paused", "working"] as const) {
      await writeHistory(process.journal, { session: state, state });
    }
    await writeHistory(process.journal, { session: "resumed", state: "paused" });
  }
  await using process = await TestProcess.open({ isComplete: false });
  process.resumed.add("resumed");
  expect(new Set(await Array.fromAsync(process.projections.listUnfinished()))).toEqual(new Set(["working", "resumed"]));
  await process.projections.waitUntilComplete();
  expect(new Set(await Array.fromAsync(process.projections.listUnfinished()))).toEqual(new Set(["working", "resumed"]));
  // The process that drove it died before it could write that the session is paused again.
  await using next = await TestProcess.open();
  expect(await next.index.get("resumed")).toMatchObject({ state: "paused", unfinished: true });
  expect(await Array.fromAsync(next.projections.listUnfinished())).toEqual(["working"]);
  expect(await next.index.get("resumed")).toMatchObject({ state: "paused", unfinished: false });
});

test("writes the row of a driven session once per time slice, and before a page is read", async () => {
  await using process = await TestProcess.open();
  const claim = await process.journal.claim("s", "this process");
  const tracked = process.projections.track("s", claim);
  await tracked.caughtUp;
  const bodies = historyBodies({ session: "s", texts: 5000, state: "working" });
  for (const [index, body] of bodies.entries()) {
    const sequence = index + 1;
    const occurredAt = new Date(1000 * sequence).toISOString();
    const envelope = { id: `${index}`, session: "s", epoch: claim.epoch, turn: null, agent: "scripted", model: null };
    tracked.add({ ...envelope, sequence, occurredAt, spool: sequence, synthetic: false, body });
    if (sequence % 1000 === 0) {
      const { rows } = await process.projections.page({});
      expect(rows).toMatchObject([{ session: "s", last: sequence, state: "working", unfinished: true }]);
    }
  }
  const last = bodies.length;
  expect((await process.projections.read("s"))?.lastSequence).toBe(last);
  await process.projections.release("s", tracked, true);
  expect(await process.index.get("s")).toMatchObject({ last, unfinished: false });
  expect(process.puts.length).toBeLessThan(20);
});

test("a driven session is followed from its row, and misses no event that is appended meanwhile", async () => {
  const first = await (async () => {
    await using process = await TestProcess.open();
    return await writeHistory(process.journal, { session: "s", texts: 2000, state: "working" });
  })();
  await using process = await TestProcess.open({ isComplete: false });
  const claim = await process.journal.claim("s", "this process");
  const tracked = process.projections.track("s", claim);
  // Its own events come while it still reads the history.
  const second = await writeHistory(process.journal, { session: "s", texts: 10 });
  for await (const batch of process.journal.read("s", first)) {
    for (const bytes of batch.events) tracked.add({ ...JSON.parse(Buffer.from(bytes).toString()), v: undefined });
  }
  await tracked.caughtUp;
  expect(tracked.projection?.lastSequence).toBe(first + second);
  expect(tracked.projection?.summary).toMatchObject({ state: "ended" });
});

test("a row from a journal that was replaced by a backup is rebuilt", async () => {
  {
    await using process = await TestProcess.open();
    await writeHistory(process.journal, { session: "s", state: "working" });
  }
  copyFileSync(join(folder, "journal.db"), join(folder, "backup.db"));
  {
    await using process = await TestProcess.open();
    for (let n = 0; n < 5; n++) await writeHistory(process.journal, { session: "s", texts: 100 });
    await writeHistory(process.journal, { session: "later" });
    await using reader = await TestProcess.open();
    expect(await reader.rows()).toMatchObject([{ session: "later" }, { session: "s", epoch: 6, state: "ended" }]);
  }
  copyFileSync(join(folder, "backup.db"), join(folder, "journal.db"));
  await using process = await TestProcess.open();
  expect(await process.index.get("s")).toMatchObject({ epoch: 1, state: "working" });
  expect(await process.rows()).toMatchObject([{ session: "s" }]);
  expect(await process.projections.read("later")).toBeUndefined();
});

test("a session that cannot be read becomes damaged, and does not keep others out of the index", async () => {
  {
    await using process = await TestProcess.open();
    await writeHistory(process.journal, { session: "a" });
    const { epoch, fence, last } = await process.journal.claim("broken", "owner");
    const events = [Buffer.from("not an event")];
    await process.journal.append({ session: "broken", epoch, first: last + 1, events, owner: "owner" }, fence);
    await writeHistory(process.journal, { session: "z" });
  }
  await using process = await TestProcess.open();
  expect(await process.rows()).toMatchObject([
    { session: "a", state: "ended" },
    { session: "broken", state: "damaged" },
    { session: "z", state: "ended" },
  ]);
  expect((await process.projections.read("broken"))?.summary?.problem).toContain("not an event");
  expect(process.projections.pendingCount).toBe(0);
});

test.each([
  ["first", "first = 1"],
  ["newest", "last = (SELECT max(last) FROM frames)"],
])("damage of the %s events changes only the state and the problem of a row", async (_, batch) => {
  await using process = await TestProcess.open();
  await writeHistory(process.journal, {
    session: "s",
    state: "working",
    name: "one",
    continues: "other",
    batchSize: 2,
  });
  await process.projections.refresh("s");
  const before = (await process.projections.read("s"))?.summary;
  expect(before).toMatchObject({ name: "one", agent: "scripted", turns: 1 });
  {
    using database = new DatabaseSync(join(folder, "journal.db"));
    database.exec(`UPDATE frames SET data = x'00' WHERE ${batch}`);
  }
  // Several times: a row that is damaged already must not lose anything either.
  for (let n = 0; n < 3; n++) {
    await process.projections.recordDamage("s");
    const after = (await process.projections.read("s"))?.summary;
    const problem = expect.stringContaining("damaged");
    expect(after).toEqual({ ...before, state: "damaged", since: before?.lastAt, problem });
  }
  expect(await process.rows()).toMatchObject([{ session: "s", state: "damaged", name: "one", agent: "scripted" }]);
});

test("a forgotten session does not return, also if its row is being written", async () => {
  await using process = await TestProcess.open();
  const claim = await process.journal.claim("s", "this process");
  const tracked = process.projections.track("s", claim);
  await tracked.caughtUp;
  const [started] = historyBodies({ session: "s" });
  tracked.add(firstEvent(started!));
  await process.projections.page({});
  tracked.settle();
  const [forgotten] = await Promise.all([
    process.projections.forget("s"),
    process.projections.release("s", tracked, true),
  ]);
  expect(forgotten).toBeUndefined();
  expect(await process.index.get("s")).toBeUndefined();
});

test("an index that cannot be written is written later, and readers do not fail", async () => {
  await using process = await TestProcess.open();
  const claim = await process.journal.claim("s", "this process");
  const tracked = process.projections.track("s", claim);
  await tracked.caughtUp;
  const put = vi.spyOn(process.index, "put").mockRejectedValue(new Error("disk full"));
  const [started] = historyBodies({ session: "s" });
  tracked.add(firstEvent(started!));
  expect((await process.projections.page({})).rows).toEqual([]);
  expect((await process.projections.read("s"))?.lastSequence).toBe(1);
  put.mockRestore();
  expect((await process.projections.page({})).rows).toMatchObject([{ session: "s" }]);
});
