import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { SessionView } from "@fairlead/api";
import type { Delta, Event } from "@fairlead/contract";
import { openLocalEngine } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import { Home, projectionVersion } from "@fairlead/runtime";
import { expect, test } from "vitest";
import { FleetFairlead } from "./gateway/fleet-fairlead.ts";
import { FleetHost } from "./host/fleet-host.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);

test("a gateway starts, follows, sends to, pauses, resumes and stops a session on a host", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  const shared = join(folder, "shared");
  const workspace = join(folder, "w");
  for (const path of [shared, workspace]) mkdirSync(path);
  const engine = await openLocalEngine({
    journalFile: join(shared, "journal.db"),
    indexFile: join(shared, "index.db"),
    indexContentVersion: projectionVersion,
    tokensFile: join(shared, "tokens.json"),
    objectsFolder: join(shared, "objects"),
  });
  const home = new Home(join(folder, "h"));
  const environment = { ...process.env, XDG_STATE_HOME: folder };
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const host = await FleetHost.open({
    engine,
    host: hostname(),
    pool: "default",
    max: 2,
    home,
    adapters,
    environment,
    onError,
  });
  const gateway = new FleetFairlead({ engine, adapters });
  const states: string[] = [];
  const leaving = new AbortController();
  const following = (async () => {
    for await (const { sessions } of gateway.overview({ signal: leaving.signal }))
      states.push(...sessions.map(({ name, state }) => `${name} ${state}`));
  })();
  const started = SessionView.parse(
    await gateway.start({ agent: "scripted", workspace, name: "first", prompt: hello }),
  );
  const first = await followTurn(gateway, 0);
  expect(first.filter((one) => "body" in one).map(({ sequence }) => sequence)).toEqual(
    first.filter((one) => "body" in one).map((_, index) => index + 1),
  );
  expect(await gateway.session(started.session)).toMatchObject({ state: "idle", turns: 1, name: "first" });
  await gateway.pause("first");
  expect(await gateway.session("first")).toMatchObject({ state: "paused" });
  const { last } = await gateway.session("first");
  const second = followTurn(gateway, last);
  await gateway.send("first", hello);
  const text = (await second).filter((one) => "text" in one);
  // Live output may have gaps: an event that overtakes its last part has all of it.
  expect("Hello.".startsWith(text.map((delta) => delta.text).join(""))).toBe(true);
  expect(await gateway.diff("first")).toMatchObject({ base: null, patch: "" });
  await expect(gateway.diff("first", { since: "commit" })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("is not in a git repository"),
  });
  execFileSync("git", ["init", "--quiet"], { cwd: workspace });
  writeFileSync(join(workspace, "new.txt"), "new\n");
  expect((await gateway.diff("first", { since: "commit" })).patch).toContain("+new\n");
  await gateway.stop("first");
  expect((await gateway.sessions()).sessions).toMatchObject([{ session: started.session, state: "ended" }]);
  await expect.poll(() => states.at(-1), { timeout: 30_000 }).toBe("first ended");
  // States that last shorter than a frame are left out, so only that there were earlier ones is certain.
  expect(new Set(states).size).toBeGreaterThan(1);
  leaving.abort();
  await following;
  expect((await gateway.turns("first")).turns.map(({ number, outcome }) => [number, outcome])).toEqual([
    [1, "completed"],
    [2, "completed"],
  ]);
  const found = await gateway.search("first", { text: "HELLO.", limit: 1 });
  expect(found.matches).toMatchObject([{ kind: "text.ended", excerpt: "Hello.", offset: 0, length: 6 }]);
  const [longest] = (await Array.fromAsync(gateway.events("first", { after: 1, limit: 1, clip: 100 }))) as Event[];
  expect(longest?.sequence).toBe(2);
  expect((await gateway.agents()).find(({ agent }) => agent === "scripted")?.probeResult.installed).toBe(true);
  expect(errors).toEqual([]);
  await gateway[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Reads the events and the live output of the session `first` until its turn ends. */
async function followTurn(gateway: FleetFairlead, after: number): Promise<(Event | Delta)[]> {
  const items: (Event | Delta)[] = [];
  for await (const one of gateway.events("first", { after, follow: true, deltas: true })) {
    items.push(one);
    if ("body" in one && one.body.type === "turn.ended") break;
  }
  return items;
}
