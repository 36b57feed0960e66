import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapters } from "@fairlead/adapters";
import { findViolations, type Event, type EventOf, type SpoolRecord } from "@fairlead/contract";
import { openSqliteLog } from "@fairlead/journal";
import { connectKeeper, spoolFolder, SpoolReader } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { Home } from "../home.ts";
import { Runtime } from "../runtime.ts";
import { startSessionOverKeeper } from "@fairlead/testing/runtime/session-over-keeper.ts";
import type { Session } from "../sessions/session.ts";

const id = "0ldkeeper000";

/** A data directory with an old keeper and a session that was started with it. Disposing removes everything. */
class OldKeeperHome implements AsyncDisposable {
  readonly workspace = mkdtempSync(join(tmpdir(), "ok-"));
  readonly home = new Home(join(this.workspace, "h"));
  readonly environment = { ...process.env, XDG_STATE_HOME: this.workspace };
  readonly folder = this.home.sessionFolder(id);
  readonly #keeper: ChildProcess;
  readonly #resources = new AsyncDisposableStack();

  constructor() {
    mkdirSync(this.folder, { recursive: true });
    const program = fileURLToPath(new URL("../../../testing/src/runtime/old-keeper.ts", import.meta.url));
    this.#keeper = spawn(process.execPath, [program, this.folder], { stdio: ["ignore", "ignore", "inherit"] });
  }

  get isKeeperRunning(): boolean {
    return this.#keeper.exitCode === null && this.#keeper.signalCode === null;
  }

  /** Requests that the keeper received and does not know. */
  get unknownRequests(): string {
    const file = join(this.folder, "unknown-requests");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  async startSession(): Promise<Session> {
    await expect.poll(() => existsSync(join(this.folder, "keeper.json")), { timeout: 10_000 }).toBe(true);
    const { home, workspace, environment } = this;
    const keeper = await connectKeeper(this.folder);
    const journal = this.#resources.use(await openSqliteLog({ file: home.journalFile }));
    expect([keeper.hello.startSeq, keeper.hello.features]).toEqual([undefined, undefined]);
    return this.#resources.use(await startSessionOverKeeper({ id, home, journal, workspace, environment, keeper }));
  }

  async open(): Promise<Runtime> {
    // Frequent snapshots make the actor request trims, if the keeper supports them.
    const snapshotInterval = { records: 5, bytes: 1_000_000 };
    const { home, environment } = this;
    return this.#resources.use(await Runtime.open({ home, adapters, environment, snapshotInterval }));
  }

  records(): SpoolRecord[] {
    const reader = new SpoolReader(spoolFolder(this.folder));
    const records: SpoolRecord[] = [];
    for (let batch = reader.read(); batch.length > 0; batch = reader.read()) records.push(...batch);
    return records;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
    if (this.isKeeperRunning && this.#keeper.kill("SIGKILL")) await once(this.#keeper, "exit");
    rmSync(this.workspace, { recursive: true, force: true });
  }
}

type EventType = Event["body"]["type"];

async function eventsUntil(session: Session, type: EventType, after = 0): Promise<Event[]> {
  const events: Event[] = [];
  for await (const item of session.stream(after)) {
    if (!("body" in item)) continue;
    events.push(item);
    if (item.body.type === type) break;
  }
  return events;
}

/** Runs an action and waits for an event that it causes. */
async function actAndWaitFor(
  session: Session,
  act: () => Promise<unknown>,
  type: EventType,
): Promise<Event | undefined> {
  const before = session.lastSequence;
  await act();
  return (await eventsUntil(session, type, before)).at(-1);
}

/** Long output and then an approval, so that the turn cannot end before the test has taken over. */
const flood = withScript("Go.", [
  { flood: { lines: 300, rate: 600 } },
  { tools: [{ name: "write", input: { path: "a", content: "b" } }] },
]);

test("a newer daemon drives an old keeper to the end of its session without losing an event", async () => {
  await using testHome = new OldKeeperHome();
  const before = await testHome.startSession();
  await before.send(flood);
  for await (const item of before.stream()) if ("body" in item && item.sequence > 50) break;
  await before[Symbol.asyncDispose](); // during the turn

  const runtime = await testHome.open();
  expect(["working", "waiting"]).toContain((await runtime.summary(id)).state);
  const session = await runtime.attach(id);
  const request = (await eventsUntil(session, "decision.requested")).at(-1)?.body as EventOf<"decision.requested">;
  await actAndWaitFor(session, () => session.answer(request.decision, { type: "allow" }), "turn.ended");
  expect(readFileSync(join(testHome.workspace, "a"), "utf8")).toBe("b");

  await actAndWaitFor(session, () => session.send(withScript("Wait.", [{ hang: true }])), "turn.started");
  const interrupted = await actAndWaitFor(session, () => session.interrupt(), "turn.ended");
  expect(interrupted?.body).toMatchObject({ outcome: "interrupted" });
  expect(testHome.isKeeperRunning).toBe(true);
  await session.end();
  const events = await eventsUntil(session, "session.ended");

  expect(findViolations(events, { complete: true })).toEqual([]);
  expect(events.at(-1)?.body).toMatchObject({ reason: "stopped", exit: { code: 0, signal: null } });
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
  const texts = events.flatMap(({ body }) => (body.type === "text.ended" ? body.text : []));
  expect(texts).toEqual(Array.from({ length: 300 }, (_, index) => `line ${index + 1}`));
  await expect.poll(() => testHome.isKeeperRunning, { timeout: 10_000 }).toBe(false);
  expect(testHome.unknownRequests).toBe("");
  expect(testHome.records()[0]?.seq).toBe(1);
});

test("an old keeper exits at a pause, and a new one continues its spool", async () => {
  await using testHome = new OldKeeperHome();
  const before = await testHome.startSession();
  await actAndWaitFor(before, () => before.send(withScript("Say.", [{ text: "Hello." }])), "turn.ended");
  await actAndWaitFor(before, () => before.pause(), "session.paused");
  await expect.poll(() => testHome.isKeeperRunning, { timeout: 10_000 }).toBe(false);

  const runtime = await testHome.open();
  const session = await runtime.resume(id);
  await actAndWaitFor(session, () => session.send(withScript("Say.", [{ text: "Again." }])), "turn.ended");
  await session.end();
  const events = await eventsUntil(session, "session.ended");
  expect(findViolations(events, { complete: true })).toEqual([]);
  expect(events.flatMap(({ body }) => (body.type === "text.ended" ? body.text : []))).toEqual(["Hello.", "Again."]);
  expect(testHome.records().flatMap(({ kind, process }) => (kind === "launch" ? [process] : []))).toEqual([1, 2]);
  expect(testHome.unknownRequests).toBe("");
});
