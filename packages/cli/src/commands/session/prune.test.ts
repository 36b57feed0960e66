import { readdirSync } from "node:fs";
import type { Fairlead, SessionView } from "@fairlead/api";
import { FairleadError, type Event } from "@fairlead/contract";
import { expect, it, vi } from "vitest";
import { Home } from "@fairlead/runtime/home";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { findPrunableSessions } from "./prune.ts";

// This test starts a dozen processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const askingScript = 'SCRIPT:[{"tools":[{"name":"run","input":{"command":"echo done"}}]},{"text":"Over."}]';
const replyScript = 'SCRIPT:[{"text":"Good day."}]';

it("deletes only sessions that ended long ago, and the next daemon recovers the others", async () => {
  await using cli = new TestCli();
  const names = async (...words: string[]): Promise<string[]> =>
    (await cli.json<SessionView>(...words)).map(({ name }) => name ?? "").toSorted();
  for (const name of ["ended", "paused"]) await cli.run(["run", "scripted", "--name", name, replyScript]);
  await cli.run(["run", "scripted", "--detach", "--name", "asking", askingScript]);
  await cli.run(["wait", "asking", "--for", "waiting"]);
  await cli.run(["stop", "ended"]);
  const before = await cli.json<Event>("logs", "paused");

  expect((await cli.run(["prune"])).out).toBe("No session to delete.\n");
  expect((await cli.run(["prune", "--older-than", "0s", "--dry-run"])).out).toContain("One session would be deleted.");
  expect(await names("ls", "--all")).toEqual(["asking", "ended", "paused"]);
  expect(await names("prune", "--older-than", "0s")).toEqual(["ended"]);
  expect(await names("ls", "--all")).toEqual(["asking", "paused"]);
  expect((await cli.run(["logs", "ended"])).code).toBe(5);
  expect((await cli.run(["prune", "--older-than", "long"])).code).toBe(2);

  await cli.run(["down"]);
  expect(await names("ls", "--all")).toEqual(["asking", "paused"]);
  expect(readdirSync(new Home(cli.home).sessionsFolder)).toHaveLength(2);
  expect(await cli.json<Event>("logs", "paused")).toEqual(before);
  expect((await cli.run(["approve", "asking"])).code).toBe(0);
  expect((await cli.run(["wait", "asking"])).code).toBe(0);
});

const view = (session: string, state: string, continues: string | null, day = 1): SessionView =>
  ({ session, state, continues, lastAt: new Date(day * 86_400_000).toISOString() }) as SessionView;

/** A service with these sessions, which gives them in pages of two. */
function serve(views: readonly SessionView[], pending = 0): Pick<Fairlead, "session" | "sessions"> {
  return {
    session: async (id) => {
      const found = views.find(({ session }) => session === id);
      if (found === undefined) throw new FairleadError("session-not-found", id);
      return found;
    },
    sessions: async ({ state, until = "9", cursor = "0" } = {}) => {
      const matching = views.filter((one) => state?.includes(one.state) && one.lastAt <= until);
      const end = Number(cursor) + 2;
      return {
        sessions: matching.slice(Number(cursor), end),
        next: end < matching.length ? String(end) : null,
        pending,
      };
    },
  };
}

it("keeps all sessions that an open session continues, directly or not, and those that ended later", async () => {
  const fairlead = serve([
    view("first", "ended", "deleted before"),
    view("second", "ended", "first"),
    view("third", "paused", "second", 9),
    view("alone", "ended", null),
    view("after alone", "ended", "alone"),
    view("late", "ended", null, 3),
    view("lost", "lost", null),
  ]);
  const prunable = await findPrunableSessions(fairlead, 2 * 86_400_000);
  expect(prunable.map(({ session }) => session)).toEqual(["alone", "after alone"]);
});

it("deletes nothing while sessions may be missing from the index", async () => {
  const fairlead = serve([view("alone", "ended", null)], 1);
  await expect(findPrunableSessions(fairlead, Date.now())).rejects.toMatchObject({ code: "unavailable" });
});
