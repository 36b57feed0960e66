import { setTimeout as wait } from "node:timers/promises";
import { listSessions, type SessionView } from "@fairlead/api";
import type { SpendingLimits } from "@fairlead/contract";
import { LocalFairlead, type DelegationBounds } from "@fairlead/service";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";
import { TestHome } from "../../measure/test-home.ts";

export interface EndlessDelegation {
  readonly sessions: number;
  readonly depth: number;
  /** The most open sessions that one agent started. */
  readonly children: number;
  /** The time that all agents worked, in seconds. */
  readonly seconds: number;
}

export interface EndlessOptions {
  /** How many sessions each agent tries to start. */
  readonly starts: number;
  readonly bounds?: DelegationBounds;
  readonly limits?: SpendingLimits;
  /** How long the agents work if no limit stops them. */
  readonly seconds: number;
}

/** Starts an agent that starts agents like itself, and returns how many there were when no more came. */
export async function delegateEndlessly(options: EndlessOptions): Promise<EndlessDelegation> {
  const { starts, bounds, limits, seconds } = options;
  await using testHome = new TestHome();
  await using fairlead = await LocalFairlead.open({
    home: testHome.home,
    adapters: [createStandInAdapter(new URL("delegating-agent.ts", import.meta.url), { starts })],
    environment: testHome.environment,
    observeFiles: false,
    ...(bounds && { delegationBounds: bounds }),
  });
  const start = { agent: "scripted", workspace: testHome.workspace(), mayDelegate: true, prompt: "Delegate." };
  const { session: root } = await fairlead.start({ ...start, ...(limits && { limits }) });
  const read = async (): Promise<SessionView[]> => await Array.fromAsync(listSessions(fairlead, {}));
  const isQuiet = (views: readonly SessionView[]): boolean => views.every(({ state }) => state === "paused");
  const until = performance.now() + seconds * 1000;
  let views = await read();
  for (; performance.now() < until && !isQuiet(views); views = await read()) await wait(500);
  const counts = Map.groupBy(views, ({ parent }) => parent?.session ?? "");
  counts.delete("");
  const spent = await Promise.all(
    views.map(async ({ session, state, since, startedAt }) => {
      const { spent: used } = await fairlead.checkpoint(session);
      // Without a limit nothing is counted: the turn began with the session.
      return (
        used?.seconds ??
        (Date.parse(state === "paused" ? since : new Date().toISOString()) - Date.parse(startedAt)) / 1000
      );
    }),
  );
  await fairlead.stop(root);
  for (; (await read()).some(({ state }) => state !== "ended");) await wait(100);
  return {
    sessions: views.length,
    depth: Math.max(0, ...views.map(({ parent }) => parent?.depth ?? 0)),
    children: Math.max(0, ...[...counts.values()].map((children) => children.length)),
    seconds: spent.reduce((sum, one) => sum + one, 0),
  };
}
