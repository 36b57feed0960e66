import { adapters } from "@fairlead/adapters";
import { SessionView } from "@fairlead/api";
import type { Adapter, AgentEvent, Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { describe, expect, test, vi } from "vitest";
import { ParkedSessions } from "./parked-sessions.ts";

const refused = withScript("Try.", [{ error: { status: 429 } }]);
const hello = withScript("Say.", [{ text: "Hello." }]);
const inputs = (events: readonly Event[]): string[] =>
  events.flatMap(({ body }) => (body.type === "turn.started" ? [body.input] : []));

const findUntil = (events: readonly Event[]): string =>
  events.flatMap(({ body }) => (body.type === "session.paused" ? [body.until ?? ""] : []))[0] ?? "";

/** The scripted agent, with a report of the quota in front of each refusal: of its reset after the first one. */
function withQuota(milliseconds: number): readonly Adapter[] {
  let reset = 0;
  const resetTime = (): string => new Date((reset ||= Date.now() + milliseconds)).toISOString();
  return adapters.map((adapter) => ({
    ...adapter,
    open: (opening) => {
      const conversation = adapter.open(opening);
      const { dialect } = conversation;
      const addQuota = (event: AgentEvent): AgentEvent[] =>
        event.type === "error.raised" && event.category === "rate-limited"
          ? [{ type: "quota.reported", status: "exhausted", window: "five_hour", resetsAt: resetTime() }, event]
          : [event];
      return {
        ...conversation,
        dialect: {
          ...dialect,
          observe: (state, observation) => {
            const observed = dialect.observe(state, observation);
            return { ...observed, events: (observed.events ?? []).flatMap(addQuota) };
          },
        },
      };
    },
  }));
}

describe("a session that was started with `park`", () => {
  test("pauses until the announced reset, and then continues", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open(undefined, withQuota(1000));
    const { session } = await fairlead.start({ workspace: testHome.folder, park: true, prompt: refused });
    const events = await collectEventsUntil(fairlead, session, "session.paused");
    const until = findUntil(events);
    expect(events.at(-1)?.body).toEqual({ type: "session.paused", reason: "quota", until });
    const paused = SessionView.parse(await fairlead.session(session));
    expect(paused).toMatchObject({ state: "paused", pauseReason: "quota", pausedUntil: until });
    const rest = await collectEventsUntil(fairlead, session, "turn.started", events.at(-1)?.sequence);
    const unpaused = rest.find(({ body }) => body.type === "session.unpaused");
    expect(Date.parse(unpaused?.occurredAt ?? "")).toBeGreaterThanOrEqual(Date.parse(until));
    expect(inputs(rest)).toEqual([expect.stringContaining("Continue.")]);
    expect(await fairlead.session(session)).toMatchObject({ pausedUntil: null });
  }, 60_000);

  test("continues when a service starts after the reset", async () => {
    await using testHome = new ServiceTestHome();
    const installed = withQuota(1000);
    const first = await testHome.open(undefined, installed);
    const { session } = await first.start({ workspace: testHome.folder, park: true, prompt: refused });
    const events = await collectEventsUntil(first, session, "session.paused");
    await testHome.close(first);
    const until = findUntil(events);
    await vi.waitUntil(() => Date.now() > Date.parse(until), 20_000);
    const second = await testHome.open(undefined, installed);
    const rest = await collectEventsUntil(second, session, "turn.started", events.at(-1)?.sequence);
    expect(inputs(rest)).toHaveLength(1);
  }, 60_000);

  test("continues earlier with a message, and once", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open(undefined, withQuota(3_600_000));
    const { session } = await fairlead.start({ workspace: testHome.folder, park: true, prompt: refused });
    const events = await collectEventsUntil(fairlead, session, "session.paused");
    await fairlead.send(session, hello);
    const rest = await collectEventsUntil(fairlead, session, "turn.ended", events.at(-1)?.sequence);
    expect(rest.at(-1)?.body).toMatchObject({ outcome: "completed" });
    expect((await fairlead.session(session)).state).toBe("idle");
  }, 60_000);

  test("stays paused without an announced reset, and says so", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    const { session } = await fairlead.start({ workspace: testHome.folder, park: true, prompt: refused });
    const events = await collectEventsUntil(fairlead, session, "session.paused");
    expect(events.at(-1)?.body).toEqual({ type: "session.paused", reason: "quota" });
    const messages = events.flatMap(({ body }) => (body.type === "status.reported" ? [body.message] : []));
    expect(messages).toEqual([expect.stringContaining(`fairlead resume ${session}`)]);
  }, 60_000);
});

test("a session without `park` does not pause", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open(undefined, withQuota(3_600_000));
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: refused });
  const refusal = await collectEventsUntil(fairlead, session, "turn.ended");
  // A pause would begin with the end of the turn, and the message would end it.
  await fairlead.send(session, hello);
  const rest = await collectEventsUntil(fairlead, session, "turn.ended", refusal.at(-1)?.sequence);
  expect(rest.map(({ body }) => body.type)).toContain("turn.started");
  expect(rest.map(({ body }) => body.type)).not.toContain("session.paused");
}, 60_000);

test("a session that was resumed or has ended is not continued, and a failure is tried again", async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const wake = vi.fn<(session: string) => Promise<void>>(async () => {});
    const until = new Date(10_000).toISOString();
    const list = async function* (): AsyncGenerator<{ session: string; until: string }> {
      for (const session of ["a", "b", "c"]) yield { session, until };
    };
    using parked = new ParkedSessions({ list, wake });
    await parked.restore();
    parked.onEvent({ session: "a", body: { type: "session.unpaused" } });
    parked.onEvent({ session: "b", body: { type: "session.ended", reason: "stopped", exit: null } });
    wake.mockRejectedValueOnce(new Error("full"));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(wake.mock.calls.map(([session]) => session)).toEqual(["c"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(wake.mock.calls.map(([session]) => session)).toEqual(["c", "c"]);
  } finally {
    vi.useRealTimers();
  }
});

test("a session that came from another host is continued after the reset, and one whose view fails is left", async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const wake = vi.fn<(session: string) => Promise<void>>(async () => {});
    using parked = new ParkedSessions({ list: async function* () {}, wake });
    const pausedUntil = new Date(10_000).toISOString();
    await parked.onArrival(Promise.resolve({ session: "parked", pausedUntil }));
    await parked.onArrival(Promise.resolve({ session: "asked", pausedUntil: null }));
    await parked.onArrival(Promise.reject(new Error("unavailable")));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(wake.mock.calls.map(([session]) => session)).toEqual(["parked"]);
  } finally {
    vi.useRealTimers();
  }
});
