import { once } from "node:events";
import type { Event, HostTool, PolicyRequest } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";

/** A tool that notes its inputs and keys. It answers when `gate` allows it. */
class NotedTool {
  readonly runs: { readonly input: unknown; readonly key: string; readonly signal: AbortSignal }[] = [];
  gate: Promise<unknown> = Promise.resolve();
  readonly #started = Promise.withResolvers<void>();
  /** Resolves when the tool runs for the first time. */
  readonly started = this.#started.promise;
  readonly tool: HostTool = {
    offer: { name: "note", description: "Notes.", inputSchema: { type: "object" } },
    use: async (input, { key, signal }) => {
      this.runs.push({ input, key, signal });
      this.#started.resolve();
      await this.gate;
      return { outcome: "done", text: `noted ${JSON.stringify(input)}` };
    },
  };
}

const use = (tool: string, input: unknown) => ({ name: "use", input: { tool, input } });
const prompt = withScript("Note.", [{ tools: [use("note", { n: 1 })] }, { text: "Next." }]);

const bodies = <Type extends Event["body"]["type"]>(events: readonly Event[], type: Type) =>
  events.flatMap(({ body }) => (body.type === type ? [body as Extract<Event["body"], { type: Type }>] : []));

async function run(policy: PolicyRequest | undefined, options: { readonly script?: string } = {}) {
  const noted = new NotedTool();
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.openWith({ tools: [noted.tool], defaultPolicy: policy !== undefined });
  const start = { agent: "scripted", workspace: testHome.folder, tools: ["note"], prompt: options.script ?? prompt };
  const { session } = await fairlead.start({ ...start, ...(policy && { policy }) });
  return { runs: noted.runs, events: await collectEventsUntil(fairlead, session, "turn.ended") };
}

test("a call runs the tool once, and the agent gets its result and continues the turn", async () => {
  const { runs, events } = await run(undefined);
  expect(runs).toMatchObject([{ input: { n: 1 }, key: expect.stringMatching(/^[\w-]+\/\d+$/) }]);
  expect(bodies(events, "tool.ended")).toMatchObject([{ ok: true, output: 'noted {"n":1}' }]);
  expect(bodies(events, "decision.requested")).toEqual([]);
  expect(bodies(events, "turn.ended")).toMatchObject([{ outcome: "completed" }]);
});

test("a policy without a rule about it allows it, and the journal says so before it runs", async () => {
  const { runs, events } = await run({});
  expect(runs).toHaveLength(1);
  expect(bodies(events, "decision.requested")).toMatchObject([
    { tool: "note", input: { n: 1 }, action: { kind: "other", offered: "acts" }, reading: { verdict: "allow" } },
  ]);
  expect(bodies(events, "decision.resolved")).toMatchObject([{ outcome: "allowed", by: { kind: "policy" } }]);
  expect(bodies(events, "tool.started")).toMatchObject([{ enforcement: "gated" }]);
});

test("a rule denies it: it does not run, and the agent gets the reason", async () => {
  const { runs, events } = await run({ rules: [{ verdict: "deny", tool: "note", because: "is not for agents" }] });
  expect(runs).toEqual([]);
  expect(bodies(events, "tool.ended")).toMatchObject([
    { ok: false, reason: "denied", output: expect.stringContaining("is not for agents") },
  ]);
  expect(bodies(events, "turn.ended")).toMatchObject([{ outcome: "completed" }]);
});

test("a tool that was not offered does not run", async () => {
  const script = withScript("Other.", [{ tools: [use("constructor", {}), use("note", {})] }]);
  const { runs, events } = await run(undefined, { script });
  expect(runs).toHaveLength(1);
  expect(bodies(events, "tool.ended").map(({ output }) => output)).toContain("There is no tool constructor.");
});

test("a rule asks: a person edits the input, and that input runs", async () => {
  const noted = new NotedTool();
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.openWith({ tools: [noted.tool] });
  const start = { agent: "scripted", workspace: testHome.folder, tools: ["note"], prompt };
  const { session } = await fairlead.start({ ...start, policy: { rules: [{ verdict: "ask", tool: "note" }] } });
  const asked = bodies(await collectEventsUntil(fairlead, session, "decision.requested"), "decision.requested")[0];
  expect(noted.runs).toEqual([]);
  await fairlead.answer(session, asked?.decision ?? "", { type: "allow", input: { n: 2 } });
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(noted.runs).toMatchObject([{ input: { n: 2 } }]);
  expect(bodies(events, "tool.ended")).toMatchObject([{ output: 'noted {"n":2}' }]);
});

test.each([
  ["tells the agent why", false, "completed"],
  ["also ends the turn", true, "interrupted"],
])("a person's denial %s", async (_what, interrupt, outcome) => {
  const noted = new NotedTool();
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.openWith({ tools: [noted.tool] });
  const start = { agent: "scripted", workspace: testHome.folder, tools: ["note"], prompt };
  const { session } = await fairlead.start({ ...start, policy: { rules: [{ verdict: "ask", tool: "note" }] } });
  const asked = bodies(await collectEventsUntil(fairlead, session, "decision.requested"), "decision.requested")[0];
  await fairlead.answer(session, asked?.decision ?? "", { type: "deny", message: "Not today.", interrupt });
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(noted.runs).toEqual([]);
  expect(bodies(events, "turn.ended")).toMatchObject([{ outcome }]);
  if (!interrupt) expect(bodies(events, "tool.ended")).toMatchObject([{ reason: "denied", output: "Not today." }]);
});

test("an interrupt aborts the tool, and the next turn calls it again", async () => {
  const noted = new NotedTool();
  noted.gate = new Promise(() => {});
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.openWith({ tools: [noted.tool] });
  const { session } = await fairlead.start({ agent: "scripted", workspace: testHome.folder, tools: ["note"], prompt });
  await noted.started;
  await fairlead.interrupt(session);
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(bodies(events, "tool.ended")).toMatchObject([{ ok: false, reason: "interrupted" }]);
  const { signal } = noted.runs[0] ?? {};
  if (signal?.aborted === false) await once(signal, "abort");
  noted.gate = Promise.resolve();
  const { last } = await fairlead.session(session);
  await fairlead.send(session, prompt);
  const rest = await collectEventsUntil(fairlead, session, "turn.ended", last);
  expect(bodies(rest, "tool.ended")).toMatchObject([{ ok: true }]);
  expect(new Set(noted.runs.map(({ key }) => key)).size).toBe(2);
});

test("a caller who may not approve cannot offer a tool that acts, and a continuation of it has none", async () => {
  const noted = new NotedTool();
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.openWith({ tools: [noted.tool] });
  const start = { agent: "scripted", workspace: testHome.folder, tools: ["note"], prompt };
  await expect(fairlead.start({ ...start, approvalsRequired: true })).rejects.toMatchObject({ code: "not-allowed" });
  const { session } = await fairlead.start(start);
  await collectEventsUntil(fairlead, session, "turn.ended");
  await fairlead.stop(session);
  const options = { outcome: "fresh", approvalsRequired: true } as const;
  const { session: next } = await fairlead.resume(session, options);
  await fairlead.send(next, prompt);
  const events = await collectEventsUntil(fairlead, next, "turn.ended");
  expect(bodies(events, "tool.ended")).toMatchObject([{ ok: false, output: "There is no tool note." }]);
  expect(noted.runs).toHaveLength(1);
});

test.each([
  ["undefined", undefined],
  ["half a character", { outcome: "done", text: `${"😀".repeat(60_000)}\ud83d` }],
  ["another outcome", { outcome: "maybe", text: "" }],
])("a tool that returns %s gives the agent a result that it can read", async (_what, result) => {
  const { offer } = new NotedTool().tool;
  const tool = { offer, use: () => Promise.resolve(result) } as unknown as HostTool;
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.openWith({ tools: [tool] });
  const { session } = await fairlead.start({ agent: "scripted", workspace: testHome.folder, tools: ["note"], prompt });
  const [ended] = bodies(await collectEventsUntil(fairlead, session, "turn.ended"), "tool.ended");
  expect(ended?.output.isWellFormed()).toBe(true);
  expect(ended?.ok).toBe(result?.outcome === "done");
});

test("a service that takes over runs an open call again under its key, and the agent gets one result", async () => {
  const noted = new NotedTool();
  noted.gate = new Promise(() => {});
  await using testHome = new ServiceTestHome();
  const first = await testHome.openWith({ tools: [noted.tool] });
  const { session } = await first.start({ agent: "scripted", workspace: testHome.folder, tools: ["note"], prompt });
  await noted.started;
  await testHome.close(first);
  expect(noted.runs[0]?.signal.aborted).toBe(true);
  noted.gate = Promise.resolve();
  const second = await testHome.openWith({ tools: [noted.tool] });
  const events = await collectEventsUntil(second, session, "turn.ended");
  expect(noted.runs).toHaveLength(2);
  expect(noted.runs[1]?.key).toBe(noted.runs[0]?.key);
  expect(bodies(events, "tool.ended")).toMatchObject([{ ok: true }]);
});

test("a service without the tool answers in words that the agent can read", async () => {
  const noted = new NotedTool();
  noted.gate = new Promise(() => {});
  await using testHome = new ServiceTestHome();
  const first = await testHome.openWith({ tools: [noted.tool] });
  const { session } = await first.start({ agent: "scripted", workspace: testHome.folder, tools: ["note"], prompt });
  await noted.started;
  await testHome.close(first);
  const events = await collectEventsUntil(await testHome.open(), session, "turn.ended");
  expect(bodies(events, "tool.ended")).toMatchObject([{ ok: false, output: expect.stringContaining("not available") }]);
});

test.each([
  ["an agent that cannot be offered tools", { agent: "shell", tools: ["note"] }, "not-supported"],
  ["a name that no tool has", { agent: "scripted", tools: ["other"] }, "invalid-request"],
])("%s is refused before anything starts", async (_what, request, code) => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.openWith({ tools: [new NotedTool().tool] });
  await expect(fairlead.start({ workspace: testHome.folder, ...request })).rejects.toMatchObject({ code });
  expect((await fairlead.sessions({})).sessions).toEqual([]);
});
