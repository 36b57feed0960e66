import { adapters } from "@fairlead/adapters";
import type { Adapter, AgentEvent } from "@fairlead/contract";
import { hostOf } from "@fairlead/engine";
import { endKeeper } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { FleetBench } from "@fairlead/testing/fleet/fleet-bench.ts";
import { followUntil } from "@fairlead/testing/fleet/movable-fleet.ts";
import { expect, test } from "vitest";
import { moveJobKey, moveJobKind } from "./move-job.ts";

/** Agents whose requests are refused until a quota is reset. */
function withQuota(resetsAt: string): readonly Adapter[] {
  const report: AgentEvent = { type: "quota.reported", status: "exhausted", window: "five_hour", resetsAt };
  return adapters.map((adapter) => ({
    ...adapter,
    open: (opening) => {
      const conversation = adapter.open(opening);
      const { dialect } = conversation;
      const addQuota = (event: AgentEvent): AgentEvent[] =>
        event.type === "error.raised" && event.category === "rate-limited" ? [report, event] : [event];
      const observe: typeof dialect.observe = (state, observation) => {
        const observed = dialect.observe(state, observation);
        return { ...observed, events: (observed.events ?? []).flatMap(addQuota) };
      };
      return { ...conversation, dialect: { ...dialect, observe } };
    },
  }));
}

test("a session that was parked continues on its next host, and its earlier host leaves it there", async () => {
  await using bench = await FleetBench.start();
  const resetsAt = new Date(Date.now() + 20_000).toISOString();
  const one = await bench.openHost("one", { adapters: withQuota(resetsAt) });
  const gateway = await bench.openGateway();
  const { session } = await gateway.start({
    agent: "scripted",
    workspace: bench.workspace,
    park: true,
    moving: "rebuilt",
    prompt: withScript("Try.", [{ error: { status: 429 } }]),
  });
  await followUntil(gateway, session, ({ body }) => body.type === "session.paused");
  await one.close();
  await endKeeper(one.home.sessionFolder(session));
  await bench.expireHosts();
  await bench.openHost("two", { adapters: withQuota(resetsAt) });
  await using engine = await bench.openEngine("checker");
  const job = { kind: moveJobKind, params: { session, refusedBy: [] } };
  const signal = AbortSignal.timeout(30_000);
  const outcome = await engine.queue.put("default", job, moveJobKey(session, 9, 1), signal);
  expect(outcome).toEqual({ host: "two", arrival: "arrived" });
  expect(Date.now()).toBeLessThan(Date.parse(resetsAt));
  const again = await bench.openHost("one", { adapters: withQuota(resetsAt) });
  // What it has of the session still says that it waits for the quota, so it must not count.
  expect((await again.host.fairlead.sessions()).sessions).toEqual([]);
  const events = await followUntil(
    gateway,
    session,
    ({ body }) => body.type === "turn.started" && isSecond(body.input),
  );
  expect(events.filter(({ body }) => body.type === "session.unpaused")).toHaveLength(1);
  expect(hostOf((await engine.log.tail(session)).owner)).toBe("two");
  expect(again.host.sessionCount).toBe(0);
});

const isSecond = (input: string): boolean => input.startsWith("Continue.");
