import type { SessionView } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { Runtime } from "@fairlead/runtime";
import { adapters } from "@fairlead/adapters";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test, vi } from "vitest";
import type { LocalFairlead } from "../local-fairlead.ts";

const use = (tool: string, input: unknown) => ({ name: "use", input: { tool, input } });
const startChild = (input: object = {}) => use("start_session", { agent: "scripted", prompt: child(), ...input });
const child = (...calls: readonly object[]): string =>
  withScript("Work.", calls.length === 0 ? [{ text: "Done." }] : [{ tools: calls as never }]);

const outputsOf = (events: readonly Event[]): string[] =>
  events.flatMap(({ body }) => (body.type === "tool.ended" ? [body.output] : []));

/** Starts a session that may delegate, and returns what its calls answer, each in a step of its own. */
async function delegate(fairlead: LocalFairlead, workspace: string, calls: readonly object[], request: object = {}) {
  const prompt = withScript(
    "Delegate.",
    calls.map((call) => ({ tools: [call] as never })),
  );
  const start = { agent: "scripted", workspace, mayDelegate: true, prompt, ...request };
  const { session } = await fairlead.start(start);
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  return { session, outputs: outputsOf(events) };
}

const idOf = (output: string | undefined): string => (JSON.parse(output ?? "{}") as { session: string }).session;

async function listChildren(fairlead: LocalFairlead, parent: string): Promise<SessionView[]> {
  const { sessions } = await fairlead.sessions({});
  return sessions.filter((view) => view.parent?.session === parent);
}

test("an agent starts a session, which names its parent and is led by it", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const { session, outputs } = await delegate(fairlead, home.folder, [startChild({ name: "helper" })]);
  const view = await fairlead.session(idOf(outputs[0]));
  expect(view).toMatchObject({ name: "helper", parent: { session, depth: 1 }, lead: "delegated", mode: "default" });
  expect((await fairlead.session(session)).parent).toBeUndefined();
});

test("an agent waits for, reads and stops its own sessions, and no other", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const { session: other } = await fairlead.start({ agent: "scripted", workspace: home.folder, name: "other" });
  const { outputs } = await delegate(fairlead, home.folder, [
    startChild({ name: "mine" }),
    use("wait", { session: "mine" }),
    use("send", { session: "mine", text: child() }),
    use("read_diff", { session: "mine" }),
    use("stop_session", { session: "mine" }),
    ...["send", "wait", "read_diff", "stop_session"].map((tool) =>
      use(tool, { session: "other", ...(tool === "send" && { text: "Hello." }) }),
    ),
  ]);
  expect(outputs[1]).toContain("idle");
  expect(outputs[2]).toContain("was sent");
  expect(outputs[4]).toContain("has ended");
  expect(outputs.slice(5)).toEqual(Array(4).fill("You can use only sessions that you started."));
  expect(await fairlead.session(other)).toMatchObject({ state: "idle", turns: 0 });
});

test("the fifth open session is refused, and one that has ended makes place for another", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const calls = [
    ...Array.from({ length: 5 }, (_, at) => startChild({ name: `c${at}` })),
    use("stop_session", { session: "c0" }),
    startChild({ name: "c5" }),
  ];
  const { session, outputs } = await delegate(fairlead, home.folder, calls);
  expect(outputs[4]).toContain("4 open sessions");
  expect(idOf(outputs[6])).not.toBe("");
  const open = (await listChildren(fairlead, session)).filter(({ state }) => state !== "ended");
  expect(new Set(open.map(({ name }) => name))).toEqual(new Set(["c1", "c2", "c3", "c5"]));
});

test("calls at the same time do not take more places than there are", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const prompt = withScript("Delegate.", [{ tools: Array.from({ length: 8 }, () => startChild()) as never }]);
  const { session } = await fairlead.start({ agent: "scripted", workspace: home.folder, mayDelegate: true, prompt });
  await collectEventsUntil(fairlead, session, "turn.ended");
  expect(await listChildren(fairlead, session)).toHaveLength(4);
});

test("two sessions below the first may be started, not three", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const third = startChild({ name: "third", mayDelegate: true });
  const second = startChild({ name: "second", mayDelegate: true, prompt: child(third) });
  const first = startChild({ name: "first", mayDelegate: true, prompt: child(second) });
  await delegate(fairlead, home.folder, [first]);
  const { session } = await fairlead.session("first");
  await collectEventsUntil(fairlead, session, "turn.ended");
  const { session: deepest } = await fairlead.session("second");
  const events = await collectEventsUntil(fairlead, deepest, "turn.ended");
  expect(outputsOf(events)).toEqual([expect.stringContaining("At most 2 sessions may be above")]);
  expect(await fairlead.session("second")).toMatchObject({ parent: { session, depth: 2 } });
  await expect(fairlead.session("third")).rejects.toThrow();
});

test("a session without the permission has no such tools, nor has a child that did not ask for it", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const { outputs } = await delegate(fairlead, home.folder, [startChild()], { mayDelegate: false });
  expect(outputs).toEqual(["There is no tool start_session."]);
  const { outputs: started } = await delegate(fairlead, home.folder, [startChild({ prompt: child(startChild()) })]);
  const events = await collectEventsUntil(fairlead, idOf(started[0]), "turn.ended");
  expect(outputsOf(events)).toEqual(["There is no tool start_session."]);
});

test("a caller who may not approve cannot let an agent delegate", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const start = { agent: "scripted", workspace: home.folder, mayDelegate: true };
  await expect(fairlead.start(start, { approvalsRequired: true })).rejects.toMatchObject({ code: "not-allowed" });
});

test("all sessions together keep the limit, and what one has not used returns", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const calls = [
    startChild({ name: "half", limits: { seconds: 500 } }),
    startChild({ name: "rest" }),
    startChild({ limits: { seconds: 900 } }),
  ];
  const { session, outputs } = await delegate(fairlead, home.folder, calls, { limits: { seconds: 1000 } });
  const limitOf = async (one: string): Promise<number> => (await fairlead.session(one)).limits?.seconds ?? 0;
  const rest = await limitOf("rest");
  expect(await limitOf("half")).toBe(500);
  expect(rest).toBeGreaterThan(0);
  expect((await limitOf(session)) + rest + 500).toBeCloseTo(1000, 3);
  expect(outputs[2]).toContain("and 900 are asked for");
  await fairlead.stop("half");
  await fairlead.stop("rest");
  const used = async (one: string): Promise<number> => (await fairlead.checkpoint(one)).spent?.seconds ?? 0;
  const expected = 1000 - (await used(idOf(outputs[0]))) - (await used(idOf(outputs[1])));
  await vi.waitUntil(async () => Math.abs((await limitOf(session)) - expected) < 0.001, 10_000);
});

test("rules of the parent's start apply to its child", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const policy = {
    rules: [{ verdict: "deny", tool: "Note", because: "is not for agents" }],
    unattended: "deny",
  } as const;
  const { outputs } = await delegate(fairlead, home.folder, [startChild()], { policy });
  const { policy: ofChild } = await fairlead
    .events(idOf(outputs[0]))
    .next()
    .then(({ value }) => (value as Event).body as Extract<Event["body"], { type: "session.started" }>);
  expect(ofChild).toMatchObject({
    unattended: "deny",
    sources: expect.arrayContaining([{ source: "the start request, by the parent", rules: 1 }]),
  });
});

test("stopping a session stops those that its agent started, and theirs", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const first = startChild({ name: "first", mayDelegate: true, prompt: child(startChild({ name: "second" })) });
  const { session } = await delegate(fairlead, home.folder, [first]);
  await collectEventsUntil(fairlead, (await fairlead.session("first")).session, "turn.ended");
  const ids = await Promise.all(["first", "second"].map(async (name) => (await fairlead.session(name)).session));
  await fairlead.stop(session);
  for (const id of ids) await vi.waitUntil(async () => (await fairlead.session(id)).state === "ended", 20_000);
});

test("a session whose parent ended while no process followed it is stopped by the next process", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const { session, outputs } = await delegate(fairlead, home.folder, [startChild(), startChild()]);
  await home.close(fairlead);
  {
    const { environment, home: data } = home;
    await using runtime = await Runtime.open({ home: data, adapters, environment });
    const parent = await runtime.attach(session);
    await parent.end();
    await parent.finished;
  }
  const next = await home.open();
  for (const output of outputs)
    await vi.waitUntil(async () => (await next.session(idOf(output))).state === "ended", 20_000);
});

test("what a session gave away is not returned twice", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const second = startChild({ name: "second", limits: { seconds: 400 } });
  const first = startChild({ name: "first", mayDelegate: true, limits: { seconds: 500 }, prompt: child(second) });
  const { session } = await delegate(fairlead, home.folder, [first], { limits: { seconds: 1000 } });
  const { session: id } = await fairlead.session("first");
  await collectEventsUntil(fairlead, id, "turn.ended");
  const { session: secondId } = await fairlead.session("second");
  await collectEventsUntil(fairlead, secondId, "turn.ended");
  await fairlead.stop(id);
  await vi.waitUntil(async () => (await fairlead.session(secondId)).state === "ended", 20_000);
  const used = async (one: string): Promise<number> => (await fairlead.checkpoint(one)).spent?.seconds ?? 0;
  const expected = 1000 - (await used(id)) - (await used(secondId));
  const limit = async (): Promise<number> => (await fairlead.session(session)).limits?.seconds ?? 0;
  await vi.waitUntil(async () => Math.abs((await limit()) - expected) < 0.001, 10_000);
});

test("sessions that end at the same time return all that they have not used", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const calls = Array.from({ length: 4 }, (_, at) => startChild({ name: `c${at}`, limits: { seconds: 100 } }));
  const { session, outputs } = await delegate(fairlead, home.folder, calls, { limits: { seconds: 1000 } });
  const ids = outputs.map(idOf);
  for (const id of ids) await collectEventsUntil(fairlead, id, "turn.ended");
  await Promise.all(ids.map((id) => fairlead.stop(id)));
  const used = await Promise.all(ids.map(async (id) => (await fairlead.checkpoint(id)).spent?.seconds ?? 0));
  const expected = 1000 - used.reduce((sum, one) => sum + one, 0);
  const limit = async (): Promise<number> => (await fairlead.session(session)).limits?.seconds ?? 0;
  await vi.waitUntil(async () => Math.abs((await limit()) - expected) < 0.001, 10_000);
});

test("an interrupt stops the starts that wait", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const prompt = withScript("Delegate.", [{ tools: Array.from({ length: 4 }, () => startChild()) as never }]);
  const { session } = await fairlead.start({ agent: "scripted", workspace: home.folder, mayDelegate: true, prompt });
  await collectEventsUntil(fairlead, session, "tool.requested");
  await fairlead.interrupt(session);
  await collectEventsUntil(fairlead, session, "turn.ended");
  const { length } = await listChildren(fairlead, session);
  const next = withScript("Delegate.", [{ tools: [startChild({ name: "later" })] as never }]);
  await fairlead.send(session, next);
  await vi.waitUntil(async () => (await listChildren(fairlead, session)).some(({ name }) => name === "later"), 20_000);
  // The start under way when the turn was interrupted may be completed.
  expect((await listChildren(fairlead, session)).length).toBeLessThanOrEqual(length + 2);
});

test("a session that continues what an agent started keeps the parent's rules, and does not delegate", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const policy = { rules: [{ verdict: "deny", tool: "Note", because: "is not for agents" }] } as const;
  const { outputs } = await delegate(fairlead, home.folder, [startChild({ mayDelegate: true })], { policy });
  await fairlead.stop(idOf(outputs[0]));
  const { session, parent } = await fairlead.resume(idOf(outputs[0]), { outcome: "fresh" });
  const [first] = await Array.fromAsync(fairlead.events(session));
  expect(parent).toBeUndefined();
  expect((first as Event).body).toMatchObject({ policy: { sources: [{ source: "the start request", rules: 1 }] } });
  // Those that only read are harmless.
  expect((first as Event).body).toMatchObject({ tools: ["wait", "read_diff"] });
});
