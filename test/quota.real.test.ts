import { join } from "node:path";
import type { Event, EventOf } from "@fairlead/contract";
import { scriptPrompt, testBenches, type ScriptedQuota, type ScriptStep } from "@fairlead/lab";
import type { LocalFairlead } from "@fairlead/service";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { describe, expect, test } from "vitest";

/** A token of a subscription. Claude Code reads what its API says about quotas only with one. */
const subscription = { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "a-token-of-the-lab" };
const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = { "claude-code": subscription };
/** The names of a window of five hours. */
const windows: Readonly<Record<string, string>> = { "claude-code": "five_hour", codex: "300 minutes" };

interface OpenedAgent extends AsyncDisposable {
  readonly fairlead: LocalFairlead;
  /** Starts a session that is parked while its quota is used up. */
  start(step: ScriptStep): Promise<string>;
}

/** Opens a service whose agents use the lab. */
async function openAgent(agent: string, variables = credentials[agent] ?? {}): Promise<OpenedAgent> {
  const stack = new AsyncDisposableStack();
  const testHome = stack.use(new ServiceTestHome());
  const bench = stack.use(await testBenches[agent]!(join(testHome.folder, "s")));
  const fairlead = await testHome.open(undefined, undefined, { ...bench.environment, ...variables });
  return {
    fairlead,
    async start(step) {
      const prompt = scriptPrompt([step]);
      const options = { settings: { ...bench.settings }, sandbox: { kind: "none" as const }, park: true };
      return (await fairlead.start({ agent, workspace: testHome.folder, prompt, ...options })).session;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const bodiesOfType = <Type extends Event["body"]["type"]>(events: readonly Event[], type: Type): EventOf<Type>[] =>
  events.flatMap(({ body }) => (body.type === type ? [body as EventOf<Type>] : []));

const inSeconds = (seconds: number): string => new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000).toISOString();

describe.each(["claude-code", "codex"])("%s", (agent) => {
  test("reports the quota of a subscription", async () => {
    await using opened = await openAgent(agent);
    const resetsAt = inSeconds(3600);
    const session = await opened.start({ text: "Done.", quota: { used: 0.9, windowMinutes: 300, resetsAt } });
    const events = await collectEventsUntil(opened.fairlead, session, "turn.ended");
    expect(bodiesOfType(events, "quota.reported")).toEqual([
      { type: "quota.reported", status: "warning", window: windows[agent], usedPercent: 90, resetsAt },
    ]);
    expect(events.at(-1)?.body).toMatchObject({ outcome: "completed" });
    expect(await opened.fairlead.session(session)).toMatchObject({ state: "idle", pausedUntil: null });
  });

  test("is paused until the announced reset, and then finishes the turn", async () => {
    await using opened = await openAgent(agent);
    const session = await opened.start({ text: "Ready." });
    const start = await collectEventsUntil(opened.fairlead, session, "turn.ended");
    // Computed after the start of the program, which can take longer on a busy machine.
    const resetsAt = inSeconds(20);
    const quota: ScriptedQuota = { used: 1, windowMinutes: 300, resetsAt, reached: true };
    await opened.fairlead.send(session, scriptPrompt([{ text: "Done.", quota }]));
    const events = await collectEventsUntil(opened.fairlead, session, "session.paused", start.at(-1)?.sequence);
    expect(bodiesOfType(events, "quota.reported")).toEqual([
      { type: "quota.reported", status: "exhausted", window: windows[agent], usedPercent: 100, resetsAt },
    ]);
    expect(bodiesOfType(events, "turn.ended")).toMatchObject([{ outcome: "failed" }]);
    expect(events.at(-1)?.body).toEqual({ type: "session.paused", reason: "quota", until: resetsAt });
    expect(Date.now()).toBeLessThan(Date.parse(resetsAt));
    const rest = await collectEventsUntil(opened.fairlead, session, "turn.ended", events.at(-1)?.sequence);
    const unpaused = rest.find(({ body }) => body.type === "session.unpaused");
    expect(Date.parse(unpaused?.occurredAt ?? "")).toBeGreaterThanOrEqual(Date.parse(resetsAt));
    expect(rest.at(-1)?.body).toMatchObject({ outcome: "completed" });
    expect(bodiesOfType(rest, "text.ended")).toMatchObject([{ text: "Done." }]);
    expect(await opened.fairlead.session(session)).toMatchObject({ state: "idle", pausedUntil: null });
  });
});

test("Claude Code reports no quota with a key, so that a session stays paused", async () => {
  await using opened = await openAgent("claude-code", {});
  const quota: ScriptedQuota = { used: 1, windowMinutes: 300, resetsAt: inSeconds(3600), reached: true };
  const session = await opened.start({ text: "Never said.", quota });
  const events = await collectEventsUntil(opened.fairlead, session, "session.paused");
  expect(bodiesOfType(events, "quota.reported")).toEqual([]);
  expect(events.at(-1)?.body).toEqual({ type: "session.paused", reason: "quota" });
});
