import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import type { StartRequest } from "@fairlead/api";
import type { FleetBench } from "@fairlead/testing/fleet/fleet-bench.ts";
import { followTurns, followUntil, hello, MovableFleet } from "@fairlead/testing/fleet/movable-fleet.ts";
import { expect, test } from "vitest";
import type { FleetFairlead } from "./gateway/fleet-fairlead.ts";

const endless = withScript("Wait.", [{ text: "Waiting." }, { hang: true }]);
const append = (file: string, text: string): object => ({
  tools: [{ name: "run", input: { command: `echo ${text} >> ${file}` } }],
});

test("the sessions of a lost host continue on another one, with the agent's memory", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session } = fleet;
  await gateway.inject(session, "By the way.");
  await fleet.loseHost();
  await fleet.openHost("two");
  const events = await followUntil(gateway, session, isUnpaused);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ body }) => body.type === "session.paused").map(({ body }) => body)).toEqual([
    { type: "session.paused", reason: "moved" },
  ]);
  await gateway.send(session, hello);
  const all = await followTurns(gateway, session, 2);
  expect(all.findLast(({ body }) => body.type === "session.resumed")?.body).toMatchObject({ outcome: "native" });
  expect(all.at(-1)?.body).toMatchObject({ type: "turn.ended", outcome: "completed" });
  // The context that waited is not lost: the agent's own memory has it now.
  const [history = ""] = readdirSync(join(fleet.stateOf("two"), "fairlead-scripted"));
  const remembered = readFileSync(join(fleet.stateOf("two"), "fairlead-scripted", history), "utf8")
    .trim()
    .split("\n");
  expect(remembered).toHaveLength(2);
  expect(remembered[1]).toContain("By the way.");
  expect(fleet.bench.errors).toEqual([]);
});

test("an interrupted turn fails and is not repeated, and the messages behind it are delivered once", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session } = fleet;
  const effects = join(fleet.bench.workspace, "effects");
  await gateway.send(session, endless);
  await gateway.send(session, withScript("Then.", [append(effects, "queued")]), { key: "queued" });
  await followUntil(gateway, session, ({ body }) => body.type === "message.queued");
  await fleet.loseHost();
  await fleet.openHost("two");
  const events = await followTurns(gateway, session, 3);
  const ends = events.flatMap(({ body }) => (body.type === "turn.ended" ? [body.outcome] : []));
  expect(ends).toEqual(["completed", "failed", "completed"]);
  // The caller has not got an answer, and repeats the command.
  await gateway.send(session, withScript("Then.", [append(effects, "queued")]), { key: "queued" });
  await gateway.send(session, hello);
  await followTurns(gateway, session, 4);
  expect(readFileSync(effects, "utf8")).toBe("queued\n");
});

test("without the agent's memory, the start decides whether the session is rebuilt or ends", async () => {
  await using fleet = await MovableFleet.start({ moving: "rebuilt" });
  const { gateway, session, bench } = fleet;
  const start = (moving?: StartRequest["moving"]): ReturnType<FleetFairlead["start"]> =>
    gateway.start({ agent: "scripted", workspace: bench.workspace, prompt: hello, ...(moving && { moving }) });
  const native = (await start()).session;
  const never = (await start("never")).session;
  for (const one of [native, never]) await followTurns(gateway, one, 1);
  await fleet.loseHost();
  const engine = await bench.openEngine("checker");
  for await (const key of engine.objects.list("memory/")) await engine.objects.remove(key);
  await engine[Symbol.asyncDispose]();
  await fleet.openHost("two");
  const rebuilt = await followUntil(gateway, session, ({ body }) => body.type === "session.resumed");
  expect(rebuilt.at(-1)?.body).toMatchObject({ outcome: "rebuilt" });
  await gateway.send(session, hello);
  expect((await followTurns(gateway, session, 2)).at(-1)?.body).toMatchObject({ outcome: "completed" });
  const [history = ""] = readdirSync(join(fleet.stateOf("two"), "fairlead-scripted"));
  const remembered = readFileSync(join(fleet.stateOf("two"), "fairlead-scripted", history), "utf8");
  expect(remembered).toContain("Agent: Hello.");
  for (const one of [native, never]) {
    const events = await followUntil(gateway, one, ({ body }) => body.type === "session.ended");
    expect(events.at(-1)?.body).toMatchObject({ reason: "lost" });
  }
});

test("a session whose only turn was cut off is rebuilt on each next host: there is nothing to forget", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, bench } = fleet;
  const { session } = await gateway.start({ agent: "scripted", workspace: bench.workspace, prompt: endless });
  await followUntil(gateway, session, ({ body }) => body.type === "turn.started");
  await fleet.loseHost();
  const two = await fleet.openHost("two");
  const isRebuilt = ({ body }: Event): boolean => body.type === "session.resumed" || body.type === "session.ended";
  const once = await followUntil(gateway, session, isRebuilt);
  await fleet.loseHost(two);
  await fleet.openHost("three");
  let count = 0;
  const twice = await followUntil(gateway, session, (event) => isRebuilt(event) && (count += 1) === 2);
  for (const events of [once, twice]) expect(events.at(-1)?.body).toMatchObject({ outcome: "rebuilt" });
  await gateway.send(session, hello);
  expect((await followTurns(gateway, session, 2)).at(-1)?.body).toMatchObject({ outcome: "completed" });
});

test("an agent that executes its messages is given no history", async () => {
  const file = (name: string): string => join(fleet.bench.workspace, name);
  await using fleet = await MovableFleet.start({
    agent: "shell",
    mode: "default",
    moving: "rebuilt",
    prompt: "echo one > one",
  });
  const { gateway, session } = fleet;
  rmSync(file("one"));
  await fleet.loseHost();
  await fleet.openHost("two");
  await gateway.send(session, "echo two > two");
  expect((await followTurns(gateway, session, 2)).at(-1)?.body).toMatchObject({ outcome: "completed" });
  expect(readdirSync(fleet.bench.workspace)).toEqual(["two"]);
}, 60_000);

test("a paused session moves when a client needs it", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session } = fleet;
  await gateway.pause(session);
  await fleet.loseHost();
  await fleet.openHost("two");
  await gateway.send(session, hello);
  const events = await followTurns(gateway, session, 2);
  expect(events.flatMap(({ body }) => (body.type === "session.paused" ? [body.reason] : []))).toEqual(["asked"]);
  expect(events.at(-1)?.body).toMatchObject({ outcome: "completed" });
});

test("a session leaves its host when its turn has ended, and no message is lost", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session } = fleet;
  await fleet.openHost("two");
  const [one] = fleet.hosts;
  await gateway.send(session, withScript("Slow.", [{ delay: 1500 }, { text: "Done." }]));
  await gateway.send(session, hello);
  const drained = one?.host.drain();
  const events = await followTurns(gateway, session, 3);
  expect(await drained).toEqual({ moved: [session], ended: [], left: [] });
  expect(events.flatMap(({ body }) => (body.type === "turn.ended" ? [body.outcome] : []))).toEqual([
    "completed",
    "completed",
    "completed",
  ]);
  const order = events.flatMap(({ body }) =>
    /^turn\.|^session\.(paused|unpaused)/.test(body.type) ? [body.type] : [],
  );
  expect(order).toEqual([
    "turn.started",
    "turn.ended",
    "turn.started",
    "turn.ended",
    "session.paused",
    "session.unpaused",
    "turn.started",
    "turn.ended",
  ]);
  expect(one?.host.sessionCount).toBe(0);
  expect(fleet.bench.errors).toEqual([]);
});

test("a session that no other host can take stays and continues", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session } = fleet;
  const two = await fleet.openHost("two", { adapters: [] });
  const [one] = fleet.hosts;
  const { left, moved } = (await one?.host.drain()) ?? {};
  expect(moved).toEqual([]);
  expect(left).toEqual([{ session, reason: expect.stringContaining("Host two cannot take it") }]);
  await gateway.send(session, hello);
  await followTurns(gateway, session, 2);
  expect(two.host.sessionCount).toBe(0);
});

test("a session with a repository continues with the files of its last turn", async () => {
  await using fleet = await MovableFleet.start({}, { isRepository: true });
  const { gateway, session, bench } = fleet;
  const { workspace } = await gateway.session(session);
  const write = withScript("Write.", [append("new.txt", "one"), append("kept.txt", "two")]);
  await gateway.send(session, write);
  const turn = (await followTurns(gateway, session, 2)).at(-1)?.turn;
  // The snapshot is made beside the session, and the next turn would be in it.
  await expect.poll(() => readSnapshot(bench, session), { timeout: 30_000 }).toContain(`after turn ${turn}\n`);
  await gateway.send(session, withScript("More.", [append("new.txt", "interrupted"), { hang: true }]));
  await followUntil(gateway, session, ({ body }) => body.type === "tool.ended" && body.ok && isThird(body.call));
  await fleet.loseHost();
  rmSync(join(bench.folder, "workspaces"), { recursive: true, force: true });
  await fleet.openHost("two");
  await followUntil(gateway, session, isUnpaused);
  expect(readFileSync(join(workspace, "new.txt"), "utf8")).toBe("one\n");
  expect(readFileSync(join(workspace, "kept.txt"), "utf8")).toBe("kept\ntwo\n");
  await gateway.send(session, withScript("Again.", [append("new.txt", "again")]));
  await followTurns(gateway, session, 4);
  expect(readFileSync(join(workspace, "new.txt"), "utf8")).toBe("one\nagain\n");
});

/** Returns the message of the session's newest snapshot. */
function readSnapshot(bench: FleetBench, session: string): string {
  const args = ["-C", join(bench.folder, "repository"), "log", "-1", "--format=%B", `refs/fairlead/${session}`];
  return spawnSync("git", args, { encoding: "utf8" }).stdout;
}

let calls = 0;
function isThird(_call: string): boolean {
  calls += 1;
  return calls % 3 === 0;
}

const isUnpaused = ({ body }: Event): boolean => body.type === "session.unpaused";
