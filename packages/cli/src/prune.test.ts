import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { SessionView } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { expect, it, vi } from "vitest";
import { CliForTest } from "./cli-for-test.ts";
import { forgettable } from "./forgettable.ts";

// Starts a dozen processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const asks = 'SCRIPT:[{"tools":[{"name":"run","input":{"command":"echo done"}}]},{"text":"Over."}]';
const speaks = 'SCRIPT:[{"text":"Good day."}]';

it("forgets what ended long ago and nothing else; the daemon that comes next finds all in order", async () => {
  await using cli = new CliForTest();
  const names = async (...words: string[]): Promise<string[]> =>
    (await cli.json<SessionView>(...words)).map(({ name }) => name ?? "").toSorted();
  for (const name of ["ended", "paused"]) await cli.run(["run", "scripted", "--name", name, speaks]);
  await cli.run(["run", "scripted", "--detach", "--name", "asking", asks]);
  await cli.run(["wait", "asking", "--for", "waiting"]);
  await cli.run(["stop", "ended"]);
  const before = await cli.json<Event>("logs", "paused");

  expect((await cli.run(["prune"])).out).toBe("No session ended that long ago.\n");
  expect((await cli.run(["prune", "--older-than", "0s", "--dry-run"])).out).toContain(
    "One session would be forgotten.",
  );
  expect(await names("ls", "--all")).toEqual(["asking", "ended", "paused"]);
  expect(await names("prune", "--older-than", "0s")).toEqual(["ended"]);
  expect(await names("ls", "--all")).toEqual(["asking", "paused"]);
  expect((await cli.run(["logs", "ended"])).code).toBe(5);
  expect((await cli.run(["prune", "--older-than", "long"])).code).toBe(2);

  await cli.run(["down"]);
  expect(await names("ls", "--all")).toEqual(["asking", "paused"]);
  expect(readdirSync(join(cli.home, "sessions"))).toHaveLength(2);
  expect(await cli.json<Event>("logs", "paused")).toEqual(before);
  expect((await cli.run(["approve", "asking"])).code).toBe(0);
  expect((await cli.run(["wait", "asking"])).code).toBe(0);
});

it("keeps what something goes on from that has not ended, however far back", () => {
  const view = (session: string, state: string, continues: string | null): SessionView =>
    ({ session, state, continues }) as SessionView;
  const sessions = [
    view("first", "ended", "forgotten before"),
    view("second", "ended", "first"),
    view("third", "paused", "second"),
    view("alone", "ended", null),
    view("after alone", "ended", "alone"),
    view("lost", "lost", null),
  ];
  expect(forgettable(sessions).map(({ session }) => session)).toEqual(["alone", "after alone"]);
});
