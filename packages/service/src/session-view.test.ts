import { readFileSync } from "node:fs";
import { adapters } from "@fairlead/adapters";
import { SessionView } from "@fairlead/api";
import { zeroTokenCounts, type Adapter, type AgentEvent } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";

const hang = withScript("Hang.", [{ text: "Working." }, { hang: true }]);
const hello = withScript("Say.", [{ text: "Hello." }]);
const fail = withScript("Fail.", [{ error: { status: 500 } }]);

test("says how the last turn ended, also after a restart and in a list", { timeout: 60_000 }, async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session, lastOutcome } = await fairlead.start({ workspace: testHome.folder });
  expect(lastOutcome).toBeNull();
  for (const [message, outcome] of [
    [hello, "completed"],
    [fail, "failed"],
  ] as const) {
    const { last } = await fairlead.session(session);
    await fairlead.send(session, message);
    await collectEventsUntil(fairlead, session, "turn.ended", last);
    expect(await fairlead.session(session)).toMatchObject({ state: "idle", lastOutcome: outcome });
  }
  await fairlead.pause(session);
  await testHome.close(fairlead);
  const next = await testHome.open();
  expect((await next.sessions()).sessions).toMatchObject([{ session, state: "paused", lastOutcome: "failed" }]);
});

test("has the process id of the agent while it runs", { timeout: 60_000 }, async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hang });
  await collectEventsUntil(fairlead, session, "text.ended");
  const { pid } = await fairlead.session(session);
  expect(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ")).toContain("scripted-agent");
  expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toContain(`FAIRLEAD_SESSION=${session}`);
  await fairlead.pause(session);
  expect(await fairlead.session(session)).toMatchObject({ state: "paused", pid: null });
});

/** The scripted agent, with a report of usage in front of the end of each turn. */
function withUsage(models: readonly string[]): readonly Adapter[] {
  const tokens = { ...zeroTokenCounts, uncached: 1_000_000 };
  const report = { type: "usage.reported", provider: "unknown", tokens, cost: null, provenance: "reported" } as const;
  const reports = models.map((model): AgentEvent => ({ ...report, model }));
  return adapters.map((adapter) => ({
    ...adapter,
    open: (opening) => {
      const conversation = adapter.open(opening);
      const { dialect } = conversation;
      const observe: typeof dialect.observe = (state, observation) => {
        const observed = dialect.observe(state, observation);
        const events = (observed.events ?? []).flatMap((one) =>
          one.type === "turn.ended" ? [...reports, one] : [one],
        );
        return { ...observed, events };
      };
      return { ...conversation, dialect: { ...dialect, observe } };
    },
  }));
}

test.each([
  [["gpt-5", "gpt-5", "no-such-model"], 2.5],
  [["no-such-model"], null],
  [[], null],
])("a list estimates the cost of tokens without one, of the models %j", async (models, amount) => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open(undefined, withUsage(models));
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
  await collectEventsUntil(fairlead, session, "turn.ended");
  const [view] = (await fairlead.sessions()).sessions;
  expect(SessionView.parse(view)).toMatchObject({ cost: null, estimate: amount === null ? null : { amount } });
});

test("says of which limits most is used, while the session is open", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
  await collectEventsUntil(fairlead, session, "turn.ended");
  expect((await fairlead.resume(session, { limits: { seconds: 600 } })).nearLimits).toEqual([]);
  const { spent } = await fairlead.checkpoint(session);
  const { last } = await fairlead.session(session);
  await fairlead.resume(session, { limits: { seconds: (spent?.seconds ?? 0) * 1.1 } });
  await collectEventsUntil(fairlead, session, "status.reported", last);
  expect(SessionView.parse(await fairlead.session(session)).nearLimits).toEqual(["seconds"]);
  await fairlead.pause(session);
  expect(await fairlead.session(session)).toMatchObject({ state: "paused", nearLimits: [] });
});
