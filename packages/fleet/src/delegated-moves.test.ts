import type { StartRequest } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import { followTurns, followUntil, hello, MovableFleet } from "@fairlead/testing/fleet/movable-fleet.ts";
import { expect, test } from "vitest";
import { hostAddress, moveMethod } from "./host-address.ts";

interface Family {
  readonly parent: string;
  readonly child: string;
}

/** Starts a session on the first host, whose agent starts another one. */
async function startFamily({ gateway, bench }: MovableFleet): Promise<Family> {
  const call = {
    name: "use",
    input: { tool: "start_session", input: { agent: "scripted", name: "child", prompt: hello } },
  };
  const prompt = withScript("Delegate.", [{ tools: [call] as never }]);
  const start: StartRequest = {
    agent: "scripted",
    mode: "full-auto",
    workspace: bench.workspace,
    mayDelegate: true,
    prompt,
  };
  const { session: parent } = await gateway.start(start);
  await followTurns(gateway, parent, 1);
  const { session: child } = await gateway.session("child");
  await followTurns(gateway, child, 1);
  return { parent, child };
}

test("a session that moved ends on its host when its parent ends on another one", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, bench } = fleet;
  const { parent, child } = await startFamily(fleet);
  const two = await fleet.openHost("two");
  await using engine = await bench.openEngine("checker");
  const moved = await engine.bus.call(
    hostAddress("one"),
    { method: moveMethod, params: { session: child } },
    AbortSignal.timeout(60_000),
  );
  expect(moved).toBe("moved");
  const { epoch, owner } = await engine.log.tail(child);
  await gateway.stop(parent);
  const events = await followUntil(gateway, child, ({ body }) => body.type === "session.ended");
  expect(events.at(-1)).toMatchObject({ epoch, body: { reason: "stopped" } });
  expect((await engine.log.tail(child)).owner).toBe(owner);
  await expect.poll(() => two.host.sessionCount).toBe(0);
});

test("a session ends with its parent after both have moved", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway } = fleet;
  const { parent, child } = await startFamily(fleet);
  await fleet.openHost("two");
  const [one] = fleet.hosts;
  expect((await one?.host.drain())?.left).toEqual([]);
  await one?.close();
  await gateway.stop(parent);
  const events = await followUntil(gateway, child, ({ body }) => body.type === "session.ended");
  expect(events.at(-1)?.body).toMatchObject({ reason: "stopped" });
});
