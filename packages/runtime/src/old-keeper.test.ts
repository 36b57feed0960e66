import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapters } from "@fairlead/adapters";
import { lawful, type Event, type EventOf, type SpoolRecord } from "@fairlead/contract";
import { openSqliteLog } from "@fairlead/journal";
import { connectKeeper, spoolFolder, SpoolReader } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { Home } from "./home.ts";
import { Runtime } from "./runtime.ts";
import { beginSession } from "./session-over-keeper-for-test.ts";
import type { Session } from "./session.ts";

const id = "0ldkeeper000";

/** A home in which an old keeper holds a session, and a session that has begun with it; all gone after the test. */
class OldGround implements AsyncDisposable {
  readonly workspace = mkdtempSync(join(tmpdir(), "ok-"));
  readonly home = new Home(join(this.workspace, "h"));
  readonly environment = { ...process.env, XDG_STATE_HOME: this.workspace };
  readonly folder = this.home.session(id);
  readonly #keeper: ChildProcess;
  readonly #opened = new AsyncDisposableStack();

  constructor() {
    mkdirSync(this.folder, { recursive: true });
    const program = fileURLToPath(new URL("old-keeper-for-test.ts", import.meta.url));
    this.#keeper = spawn(process.execPath, [program, this.folder], { stdio: ["ignore", "ignore", "inherit"] });
  }

  get isKept(): boolean {
    return this.#keeper.exitCode === null && this.#keeper.signalCode === null;
  }

  /** What the keeper was sent that it could not have known. */
  get strange(): string {
    const file = join(this.folder, "strange");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  async begin(): Promise<Session> {
    await expect.poll(() => existsSync(join(this.folder, "keeper.json")), { timeout: 10_000 }).toBe(true);
    const { home, workspace, environment } = this;
    const keeper = await connectKeeper(this.folder);
    const journal = this.#opened.use(await openSqliteLog({ file: home.journal }));
    expect([keeper.hello.since, keeper.hello.features]).toEqual([undefined, undefined]);
    return this.#opened.use(await beginSession({ id, home, journal, workspace, environment, keeper }));
  }

  async open(): Promise<Runtime> {
    // Keeping often is what makes a daemon ask for a trimming.
    const keepEvery = { records: 5, bytes: 1_000_000 };
    const { home, environment } = this;
    return this.#opened.use(await Runtime.open({ home, adapters, environment, keepEvery }));
  }

  records(): SpoolRecord[] {
    const reader = new SpoolReader(spoolFolder(this.folder));
    const records: SpoolRecord[] = [];
    for (let batch = reader.read(); batch.length > 0; batch = reader.read()) records.push(...batch);
    return records;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
    if (this.isKept && this.#keeper.kill("SIGKILL")) await once(this.#keeper, "exit");
    rmSync(this.workspace, { recursive: true, force: true });
  }
}

type Type = Event["body"]["type"];

async function until(session: Session, type: Type, after = 0): Promise<Event[]> {
  const events: Event[] = [];
  for await (const one of session.stream(after)) {
    if (!("body" in one)) continue;
    events.push(one);
    if (one.body.type === type) break;
  }
  return events;
}

/** Does something and waits for what it leads to. */
async function leads(session: Session, act: () => Promise<unknown>, type: Type): Promise<Event | undefined> {
  const before = session.last;
  await act();
  return (await until(session, type, before)).at(-1);
}

/** Much to say, and then something to ask, so that the turn cannot be over before it is wanted. */
const flood = withScript("Go.", [
  { flood: { lines: 300, rate: 600 } },
  { tools: [{ name: "write", input: { path: "a", content: "b" } }] },
]);

test("an old keeper is driven by a newer daemon to the end of its session, and nothing is lost", async () => {
  await using ground = new OldGround();
  const before = await ground.begin();
  await before.send(flood);
  for await (const one of before.stream()) if ("body" in one && one.sequence > 50) break;
  await before[Symbol.asyncDispose](); // in the middle of the turn

  const runtime = await ground.open();
  expect(["working", "waiting"]).toContain((await runtime.summary(id)).state);
  const session = await runtime.attach(id);
  const asked = (await until(session, "decision.requested")).at(-1)?.body as EventOf<"decision.requested">;
  await leads(session, () => session.answer(asked.decision, { type: "allow" }), "turn.ended");
  expect(readFileSync(join(ground.workspace, "a"), "utf8")).toBe("b");

  await leads(session, () => session.send(withScript("Wait.", [{ hang: true }])), "turn.started");
  const interrupted = await leads(session, () => session.interrupt(), "turn.ended");
  expect(interrupted?.body).toMatchObject({ outcome: "interrupted" });
  expect(ground.isKept).toBe(true);
  await session.end();
  const events = await until(session, "session.ended");

  expect(lawful(events, { whole: true })).toEqual([]);
  expect(events.at(-1)?.body).toMatchObject({ reason: "stopped", exit: { code: 0, signal: null } });
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, at) => at + 1));
  const said = events.flatMap(({ body }) => (body.type === "text.ended" ? body.text : []));
  expect(said).toEqual(Array.from({ length: 300 }, (_, at) => `line ${at + 1}`));
  await expect.poll(() => ground.isKept, { timeout: 10_000 }).toBe(false);
  expect(ground.strange).toBe("");
  expect(ground.records()[0]?.seq).toBe(1);
});

test("an old keeper leaves at a pause, and a new one takes up its spool", async () => {
  await using ground = new OldGround();
  const before = await ground.begin();
  await leads(before, () => before.send(withScript("Say.", [{ text: "Hello." }])), "turn.ended");
  await leads(before, () => before.pause(), "session.paused");
  await expect.poll(() => ground.isKept, { timeout: 10_000 }).toBe(false);

  const runtime = await ground.open();
  const session = await runtime.resume(id);
  await leads(session, () => session.send(withScript("Say.", [{ text: "Again." }])), "turn.ended");
  await session.end();
  const events = await until(session, "session.ended");
  expect(lawful(events, { whole: true })).toEqual([]);
  expect(events.flatMap(({ body }) => (body.type === "text.ended" ? body.text : []))).toEqual(["Hello.", "Again."]);
  expect(ground.records().flatMap(({ kind, process }) => (kind === "launch" ? [process] : []))).toEqual([1, 2]);
  expect(ground.strange).toBe("");
});
