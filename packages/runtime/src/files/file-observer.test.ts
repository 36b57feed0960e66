import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findViolations, type Event, type EventOf } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { describe, expect, it } from "vitest";
import { eventsUntil, readJournal, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import type { TreeDiff } from "./diff-trees.ts";
import type { Session } from "../sessions/session.ts";

type Change = EventOf<"file.changed">;

const run = (command: string): string =>
  withScript("Run.", [{ tools: [{ name: "run", input: { command } }] }, { text: "Done." }]);

function createWorkspace(testHome: TestHome, name = "w"): string {
  const workspace = join(realpathSync(testHome.folder), name);
  mkdirSync(workspace);
  return workspace;
}

const options = { agent: "scripted", mode: "full-auto" } as const;

function changesOf(events: readonly Event[]): Change[] {
  return events.map(({ body }) => body).filter((body) => body.type === "file.changed");
}

/** Reads events until a file with this path was observed. */
async function untilObserved(session: Session, path: string, after = 0): Promise<Event[]> {
  const events: Event[] = [];
  for await (const item of session.stream(after, AbortSignal.timeout(20_000))) {
    if (!("body" in item)) continue;
    events.push(item);
    if (item.body.type === "file.changed" && item.body.source === "observed" && item.body.path === path) return events;
  }
  throw new Error(`${path} was not observed. Events: ${JSON.stringify(events.map(({ body }) => body))}`);
}

describe("changes of files", () => {
  it("by a command are attributed to its call", async () => {
    await using testHome = new TestHome();
    const workspace = createWorkspace(testHome);
    writeFileSync(join(workspace, "kept.txt"), "one\n");
    const runtime = await testHome.open({ observeFiles: true });
    const session = await runtime.start({ ...options, workspace });
    await session.send(run("echo new > new.txt; echo two > kept.txt"));
    const events = await untilObserved(session, "new.txt");
    const ended = events.find(({ body }) => body.type === "tool.ended");
    const [first, second] = changesOf(events);
    const call = (ended?.body as EventOf<"tool.ended"> | undefined)?.call;
    expect([first, second]).toEqual([
      { type: "file.changed", path: "kept.txt", change: "modified", source: "observed", attribution: "call", call },
      { type: "file.changed", path: "new.txt", change: "created", source: "observed", attribution: "call", call },
    ]);
  });

  it("that the agent reported are not reported again, however it names them", async () => {
    await using testHome = new TestHome();
    createWorkspace(testHome);
    const workspace = join(testHome.folder, "link");
    symlinkSync("w", workspace);
    const runtime = await testHome.open({ observeFiles: true });
    const session = await runtime.start({ ...options, workspace });
    const write = { name: "write", input: { path: "reported.txt", content: "a" } } as const;
    const list = [{ tools: [write] }, { tools: [{ name: "run", input: { command: "echo > seen.txt" } }] }] as const;
    await session.send(withScript("Write.", [...list, { text: "Done." }]));
    const changes = changesOf(await untilObserved(session, "seen.txt"));
    expect(changes.filter(({ path }) => path.endsWith("reported.txt"))).toHaveLength(1);
    expect(changes[0]?.source).toBeUndefined();
  });

  it("between turns and while no process drives the session are seen, and of unknown origin", async () => {
    await using testHome = new TestHome();
    const workspace = createWorkspace(testHome);
    const runtime = await testHome.open({ observeFiles: true });
    const session = await runtime.start({ ...options, workspace });
    await session.send(run("echo > first.txt"));
    await untilObserved(session, "first.txt");
    await eventsUntil(session, "turn.ended");
    writeFileSync(join(workspace, "between.txt"), "by a person\n");
    const after = session.lastSequence;
    await session.send(withScript("Say.", [{ text: "Hello." }]));
    const between = (await untilObserved(session, "between.txt")).at(-1);
    expect(between?.body).toMatchObject({ change: "created", attribution: "unknown" });
    await eventsUntil(session, "turn.ended", after);
    await session[Symbol.asyncDispose]();

    writeFileSync(join(workspace, "meanwhile.txt"), "by another program\n");
    const attached = await (await testHome.open({ observeFiles: true })).attach(session.id);
    const meanwhile = (await untilObserved(attached, "meanwhile.txt")).at(-1);
    expect(meanwhile?.body).toMatchObject({ change: "created", attribution: "unknown" });
    const journal = await readJournal(runtime, session.id);
    expect(findViolations(journal)).toEqual([]);
    expect(changesOf(journal).map(({ path }) => path)).toEqual(["first.txt", "between.txt", "meanwhile.txt"]);
  });

  it("are of unknown origin while another session is busy in the same folder", async () => {
    await using testHome = new TestHome();
    const workspace = createWorkspace(testHome);
    mkdirSync(join(workspace, "inner"));
    const runtime = await testHome.open({ observeFiles: true });
    const other = await runtime.start({ ...options, workspace: join(workspace, "inner") });
    const session = await runtime.start({ ...options, workspace });
    const apart = await runtime.start({ ...options, workspace: createWorkspace(testHome, "apart") });
    await other.send(run("until test -e done; do sleep 0.05; done"));
    await eventsUntil(other, "tool.requested");
    await session.send(run("echo > shared.txt"));
    await apart.send(run("echo > own.txt"));
    expect((await untilObserved(session, "shared.txt")).at(-1)?.body).toMatchObject({ attribution: "unknown" });
    expect((await untilObserved(apart, "own.txt")).at(-1)?.body).toMatchObject({ attribution: "call" });
    writeFileSync(join(workspace, "inner/done"), "");
    await eventsUntil(other, "turn.ended");
  });

  it("beyond the limit are counted, and a lost index is stated", async () => {
    await using testHome = new TestHome();
    const workspace = createWorkspace(testHome);
    const runtime = await testHome.open({ observeFiles: true });
    const session = await runtime.start({ ...options, workspace });
    await session.send(run("for i in $(seq 1 600); do echo $i > f$i.txt; done"));
    const events = await eventsUntil(session, "status.reported");
    expect(changesOf(events)).toHaveLength(500);
    expect(events.at(-1)?.body).toMatchObject({ level: "info", message: expect.stringContaining("100 more files") });
    await eventsUntil(session, "turn.ended");
    await session[Symbol.asyncDispose]();

    rmSync(testHome.home.filesFolder(session.id), { recursive: true });
    writeFileSync(join(workspace, "missed.txt"), "");
    const attached = await (await testHome.open({ observeFiles: true })).attach(session.id);
    const [lost] = (await eventsUntil(attached, "status.reported", session.lastSequence)).slice(-1);
    expect(lost?.body).toMatchObject({ level: "warning", message: expect.stringContaining("are unknown") });
    await attached.send(run("echo > seen.txt"));
    expect(changesOf(await untilObserved(attached, "seen.txt", lost?.sequence)).map(({ path }) => path)).toEqual([
      "seen.txt",
    ]);
  });

  it("that the agent reports in many calls are not observed again", async () => {
    await using testHome = new TestHome();
    const workspace = createWorkspace(testHome);
    const runtime = await testHome.open({ observeFiles: true });
    const session = await runtime.start({ ...options, workspace });
    const steps = Array.from({ length: 200 }, (_, index) => ({
      tools: [{ name: "write" as const, input: { path: `f${index}.txt`, content: "a" } }],
    }));
    await session.send(withScript("Write.", [...steps, { text: "Done." }]));
    const ended = (await eventsUntil(session, "turn.ended")).at(-1);
    await session.send(run("echo > last.txt"));
    await untilObserved(session, "last.txt", ended?.sequence);
    const observed = changesOf(await readJournal(runtime, session.id)).filter(({ source }) => source === "observed");
    expect(observed.map(({ path }) => path)).toEqual(["last.txt"]);
  });

  it("are recorded before a pause that follows a turn at once", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open({ observeFiles: true });
    const session = await runtime.start({ ...options, workspace: createWorkspace(testHome) });
    await session.send(run("echo > new.txt"));
    await eventsUntil(session, "turn.ended");
    await session.pause();
    await eventsUntil(session, "session.paused");
    expect(changesOf(await readJournal(runtime, session.id))).toMatchObject([{ path: "new.txt", change: "created" }]);
  });

  it("of one turn are known after the next one, also of large files and after a restart", async () => {
    await using testHome = new TestHome();
    const workspace = createWorkspace(testHome);
    writeFileSync(join(workspace, "kept.txt"), "one\n");
    const runtime = await testHome.open({ observeFiles: true });
    const session = await runtime.start({ ...options, workspace });
    const turns: string[] = [];
    for (const command of ["echo two > kept.txt; truncate -s 5000000 large", "echo three > kept.txt", "rm kept.txt"]) {
      turns.push(await session.send(run(command)));
      await eventsUntil(session, "turn.ended", session.lastSequence);
      await session.compareFiles();
    }
    const find = (turn: string | undefined): Promise<TreeDiff> =>
      runtime.catalog.findTurnChanges({ session: session.id, workspace, turn: turn ?? "", lastTree: null });
    expect(await find(turns[0])).toMatchObject({
      patch: expect.stringMatching(/^diff --git a\/kept.txt b\/kept.txt\n[^]*-one\n\+two\n$/),
      omitted: ["large"],
    });
    expect((await find(turns[1])).patch).toMatch(/-two\n\+three\n$/);
    await session[Symbol.asyncDispose]();
    expect((await find(turns[2])).patch).toMatch(/deleted file mode 100644\n[^]*-three\n$/);
    await expect(find("no such turn")).rejects.toMatchObject({ code: "unavailable" });
  });
});
