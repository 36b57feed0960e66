import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FairleadError, findViolations } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { eventsUntil, TestHome, readJournal } from "@fairlead/testing/runtime/test-home.ts";
import type { Runtime } from "./runtime.ts";

const readKeeperPid = (testHome: TestHome, session: string): number =>
  (JSON.parse(readFileSync(join(testHome.home.sessionFolder(session), "keeper.json"), "utf8")) as { pid: number }).pid;

const slow = withScript("Count.", [{ text: "one two three four five six seven eight", chunks: 8, chunkDelay: 100 }]);

describe("a session", () => {
  test("can be paused, resumed by another runtime, and continued by a new session after its end", async () => {
    await using testHome = new TestHome();
    const first = await testHome.open();
    const session = await first.start({ agent: "scripted", workspace: testHome.folder });
    await session.send(withScript("Say.", [{ text: "Hello." }]));
    await eventsUntil(session, "turn.ended");
    await session.pause();
    await eventsUntil(session, "session.paused");
    await session[Symbol.asyncDispose]();

    const second = await testHome.open();
    const resumed = await second.resume(session.id);
    expect(resumed.id).toBe(session.id);
    await resumed.send(withScript("Say.", [{ text: "Again." }]));
    await eventsUntil(resumed, "turn.ended", resumed.lastSequence);
    await resumed.end();
    await eventsUntil(resumed, "session.ended");
    const journal = await readJournal(second, session.id);
    expect(findViolations(journal, { complete: true })).toEqual([]);
    expect(journal.map((event) => event.body.type)).toContain("session.resumed");
    expect(new Set(journal.map((event) => event.epoch)).size).toBe(2);

    const continued = await second.resume(session.id);
    expect(continued.id).not.toBe(session.id);
    await continued.send(withScript("Say.", [{ text: "And on." }]));
    const [started] = await eventsUntil(continued, "turn.ended");
    expect(started?.body).toMatchObject({ type: "session.started", continues: { session: session.id } });
  });

  test("continues under the next runtime if its driver is killed during a turn", async () => {
    await using testHome = new TestHome();
    const program = fileURLToPath(new URL("../../testing/src/runtime/driver.ts", import.meta.url));
    const child = spawn(process.execPath, [program, testHome.home.folder, testHome.folder, slow], {
      env: testHome.environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let session = "";
    for await (const line of createInterface({ input: child.stdout })) {
      session ||= line;
      if (line === "delta") break;
    }
    child.kill("SIGKILL");
    const keeperPid = readKeeperPid(testHome, session);

    const runtime = await testHome.open();
    const attached = await runtime.attach(session);
    const events = await eventsUntil(attached, "turn.ended");
    expect(events.at(-1)?.body).toMatchObject({ outcome: "completed" });
    expect(events.filter((event) => event.body.type === "text.ended")).toHaveLength(1);
    expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
    expect(findViolations(events)).toEqual([]);
    expect(readKeeperPid(testHome, session)).toBe(keeperPid);
  });

  test("ends as lost if its keeper is killed while a runtime drives it", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
    await session.send(slow);
    await eventsUntil(session, "turn.started");
    process.kill(readKeeperPid(testHome, session.id), "SIGKILL");
    const events = await eventsUntil(session, "session.ended");
    expect(events.at(-1)?.body).toMatchObject({ reason: "lost" });
    expect(findViolations(events, { complete: true })).toEqual([]);
  });

  test("is shown as lost if its keeper was killed without a driver, and ends when a runtime attaches", async () => {
    await using testHome = new TestHome();
    const first = await testHome.open();
    const session = await first.start({ agent: "scripted", workspace: testHome.folder });
    await session.send(slow);
    await eventsUntil(session, "turn.started");
    await session[Symbol.asyncDispose]();
    process.kill(readKeeperPid(testHome, session.id), "SIGKILL");
    const second = await testHome.open();
    expect((await second.summary(session.id)).state).toBe("lost");
    const attached = await second.attach(session.id);
    expect((await eventsUntil(attached, "session.ended")).at(-1)?.body).toMatchObject({ reason: "lost" });
    expect((await second.summary(session.id)).state).toBe("ended");
  });

  test("has one driver: the previous one is fenced off and gets an error", async () => {
    await using testHome = new TestHome();
    const [first, second] = [await testHome.open(), await testHome.open()];
    const session = await first.start({ agent: "scripted", workspace: testHome.folder });
    await session.send(slow);
    await eventsUntil(session, "turn.started");
    const reading = eventsUntil(session, "session.ended", session.lastSequence);
    const attached = await second.attach(session.id);
    await expect(reading).rejects.toSatisfy((error) => FairleadError.is(error, "fenced"));
    const events = await eventsUntil(attached, "turn.ended");
    expect(findViolations(events)).toEqual([]);
  });
});

describe("start rejects and starts no process", () => {
  const startError = async (options: Parameters<Runtime["start"]>[0]): Promise<unknown> => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const error = await runtime.start(options).catch((thrown: unknown) => thrown);
    expect(await Array.fromAsync(runtime.list())).toEqual([]);
    return error;
  };

  test("for an unknown agent, and names the known ones", async () => {
    const error = await startError({ agent: "unknown", workspace: "/" });
    expect(FairleadError.is(error, "unknown-agent")).toBe(true);
    expect(String(error)).toContain("scripted");
  });

  test("for invalid settings, and names the wrong one", async () => {
    const error = await startError({ agent: "shell", workspace: "/", settings: { timeout: "long" } });
    expect(FairleadError.is(error, "invalid-settings")).toBe(true);
    expect(String(error)).toContain("timeout");
  });

  test.each([{ systemPrompt: "Rhyme." }, { maxTurns: 3 }])(
    "for the setting %j, which needs a capability that the agent does not declare",
    async (settings) => {
      const error = await startError({ agent: "scripted", workspace: "/", settings });
      expect(error).toMatchObject({
        code: "not-supported",
        message: expect.stringContaining(Object.keys(settings)[0]!),
      });
    },
  );

  test("for a mode that the agent does not support", async () => {
    const error = await startError({ agent: "shell", workspace: "/", mode: "plan" });
    expect(FairleadError.is(error, "not-supported")).toBe(true);
  });
});

test("an agent gets no variable that its manifest does not name", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "shell", workspace: testHome.folder });
  await session.send("env");
  const events = await eventsUntil(session, "turn.ended");
  const output = events.flatMap(({ body }) => (body.type === "tool.ended" ? body.output : [])).join("");
  expect(output).toContain("PATH=");
  expect(output).not.toContain("FAIRLEAD_SECRET");
});
