import { readdirSync } from "node:fs";
import type { SessionView } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
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

it("keeps all sessions that an open session continues, directly or not", () => {
  const view = (session: string, state: string, continues: string | null): SessionView =>
    ({ session, state, continues }) as SessionView;
  const sessions = [
    view("first", "ended", "deleted before"),
    view("second", "ended", "first"),
    view("third", "paused", "second"),
    view("alone", "ended", null),
    view("after alone", "ended", "alone"),
    view("lost", "lost", null),
  ];
  expect(findPrunableSessions(sessions).map(({ session }) => session)).toEqual(["alone", "after alone"]);
});
