import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FairleadError, lawful } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { eventsUntil, Ground, journalOf } from "./ground-for-test.ts";
import type { Runtime } from "./runtime.ts";

const keeperPid = (ground: Ground, session: string): number =>
  (JSON.parse(readFileSync(join(ground.home.session(session), "keeper.json"), "utf8")) as { pid: number }).pid;

const slow = withScript("Count.", [{ text: "one two three four five six seven eight", chunks: 8, chunkDelay: 100 }]);

describe("a session", () => {
  test("is paused, resumed by another runtime, and continued by a new session once it has ended", async () => {
    await using ground = new Ground();
    const first = await ground.open();
    const session = await first.start({ agent: "scripted", workspace: ground.folder });
    await session.send(withScript("Say.", [{ text: "Hello." }]));
    await eventsUntil(session, "turn.ended");
    await session.pause();
    await eventsUntil(session, "session.paused");
    await session[Symbol.asyncDispose]();

    const second = await ground.open();
    const resumed = await second.resume(session.id);
    expect(resumed.id).toBe(session.id);
    await resumed.send(withScript("Say.", [{ text: "Again." }]));
    await eventsUntil(resumed, "turn.ended", resumed.last);
    await resumed.end();
    await eventsUntil(resumed, "session.ended");
    const journal = await journalOf(second, session.id);
    expect(lawful(journal, { whole: true })).toEqual([]);
    expect(journal.map((event) => event.body.type)).toContain("session.resumed");
    expect(new Set(journal.map((event) => event.epoch)).size).toBe(2);

    const continued = await second.resume(session.id);
    expect(continued.id).not.toBe(session.id);
    await continued.send(withScript("Say.", [{ text: "And on." }]));
    const [started] = await eventsUntil(continued, "turn.ended");
    expect(started?.body).toMatchObject({ type: "session.started", continues: { session: session.id } });
  });

  test("goes on under the next runtime when the one that drives it is killed in the middle of a turn", async () => {
    await using ground = new Ground();
    const program = fileURLToPath(new URL("driver-for-test.ts", import.meta.url));
    const child = spawn(process.execPath, [program, ground.home.folder, ground.folder, slow], {
      env: ground.environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let session = "";
    for await (const line of createInterface({ input: child.stdout })) {
      session ||= line;
      if (line === "delta") break;
    }
    child.kill("SIGKILL");
    const agent = keeperPid(ground, session);

    const runtime = await ground.open();
    const attached = await runtime.attach(session);
    const events = await eventsUntil(attached, "turn.ended");
    expect(events.at(-1)?.body).toMatchObject({ outcome: "completed" });
    expect(events.filter((event) => event.body.type === "text.ended")).toHaveLength(1);
    expect(events.map((event) => event.sequence)).toEqual(events.map((_, at) => at + 1));
    expect(lawful(events)).toEqual([]);
    expect(keeperPid(ground, session)).toBe(agent);
  });

  test("whose keeper is killed is closed as lost, by whoever drives it", async () => {
    await using ground = new Ground();
    const runtime = await ground.open();
    const session = await runtime.start({ agent: "scripted", workspace: ground.folder });
    await session.send(slow);
    await eventsUntil(session, "turn.started");
    process.kill(keeperPid(ground, session.id), "SIGKILL");
    const events = await eventsUntil(session, "session.ended");
    expect(events.at(-1)?.body).toMatchObject({ reason: "lost" });
    expect(lawful(events, { whole: true })).toEqual([]);
  });

  test("whose keeper was killed while nobody looked is shown as lost, and closed by whoever attaches", async () => {
    await using ground = new Ground();
    const first = await ground.open();
    const session = await first.start({ agent: "scripted", workspace: ground.folder });
    await session.send(slow);
    await eventsUntil(session, "turn.started");
    await session[Symbol.asyncDispose]();
    process.kill(keeperPid(ground, session.id), "SIGKILL");
    const second = await ground.open();
    expect((await second.summary(session.id)).state).toBe("lost");
    const attached = await second.attach(session.id);
    expect((await eventsUntil(attached, "session.ended")).at(-1)?.body).toMatchObject({ reason: "lost" });
    expect((await second.summary(session.id)).state).toBe("ended");
  });

  test("has one driver: the one before is fenced off and told so", async () => {
    await using ground = new Ground();
    const [first, second] = [await ground.open(), await ground.open()];
    const session = await first.start({ agent: "scripted", workspace: ground.folder });
    await session.send(slow);
    await eventsUntil(session, "turn.started");
    const watching = eventsUntil(session, "session.ended", session.last);
    const taken = await second.attach(session.id);
    await expect(watching).rejects.toSatisfy((error) => FairleadError.is(error, "fenced"));
    const events = await eventsUntil(taken, "turn.ended");
    expect(lawful(events)).toEqual([]);
  });
});

describe("nothing is started", () => {
  const refusal = async (options: Parameters<Runtime["start"]>[0]): Promise<unknown> => {
    await using ground = new Ground();
    const runtime = await ground.open();
    const error = await runtime.start(options).catch((thrown: unknown) => thrown);
    expect(await Array.fromAsync(runtime.list())).toEqual([]);
    return error;
  };

  test("when nobody knows the agent, and the known ones are named", async () => {
    const error = await refusal({ agent: "nobody", workspace: "/" });
    expect(FairleadError.is(error, "unknown-agent")).toBe(true);
    expect(String(error)).toContain("scripted");
  });

  test("when the settings do not fit, and what is wrong is said", async () => {
    const error = await refusal({ agent: "shell", workspace: "/", settings: { timeout: "long" } });
    expect(FairleadError.is(error, "invalid-settings")).toBe(true);
    expect(String(error)).toContain("timeout");
  });

  test("in a mode that the agent cannot keep", async () => {
    const error = await refusal({ agent: "shell", workspace: "/", mode: "plan" });
    expect(FairleadError.is(error, "not-supported")).toBe(true);
  });
});

test("an agent gets no variable that its manifest does not name", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const session = await runtime.start({ agent: "shell", workspace: ground.folder });
  await session.send("env");
  const events = await eventsUntil(session, "turn.ended");
  const output = events.flatMap(({ body }) => (body.type === "tool.ended" ? body.output : [])).join("");
  expect(output).toContain("PATH=");
  expect(output).not.toContain("FAIRLEAD_SECRET");
});
