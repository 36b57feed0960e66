import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { Home } from "@fairlead/runtime/home";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { writeHistories } from "@fairlead/testing/runtime/write-histories.ts";
import type { HistoryOptions } from "@fairlead/testing/runtime/write-history.ts";

// This test starts a dozen processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

async function listIds(cli: TestCli, options: readonly string[]): Promise<string[]> {
  const { code, out, err } = await cli.run(["ls", "-q", ...options]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out.split("\n").slice(0, -1);
}

it("lists the sessions that the options select, and says that it leaves out old ones", async () => {
  await using cli = new TestCli();
  const hour = 3_600_000;
  const now = Date.now();
  const histories: readonly HistoryOptions[] = [
    { session: "old-ended", at: now - 40 * hour, agent: "shell" },
    { session: "old-paused", at: now - 39 * hour, state: "paused", name: "mine" },
    { session: "ended", at: now - 3 * hour, workspace: cli.workspace },
    { session: "paused", at: now - 2 * hour, state: "paused", agent: "shell" },
  ];
  await writeHistories(new Home(cli.home), histories);
  const ids = (...options: string[]): Promise<string[]> => listIds(cli, options);
  expect(await ids()).toEqual(["paused", "ended", "old-paused"]);
  expect(await ids("-n", "2")).toEqual(["paused", "ended"]);
  expect(await ids("--all")).toEqual(["paused", "ended", "old-paused", "old-ended"]);
  expect(await ids("--state", "ended")).toEqual(["ended", "old-ended"]);
  expect(await ids("--state", "ended", "paused", "--agent", "shell")).toEqual(["paused", "old-ended"]);
  expect(await ids("--name", "mine")).toEqual(["old-paused"]);
  expect(await ids("--workspace", ".")).toEqual(["ended"]);
  expect((await cli.run(["ls"])).out).toContain("Sessions that ended more than a day ago are left out.");
  expect((await cli.run(["ls", "--agent", "none"])).out).toBe("No session matches.\n");
  expect((await cli.run(["ls", "--state", "asleep"])).code).toBe(2);
});

it("lists the sessions of a folder by any link to it", async () => {
  await using cli = new TestCli();
  const [target, first, second] = ["target", "first", "second"].map((name) => join(cli.workspace, name));
  mkdirSync(target!);
  for (const link of [first!, second!]) symlinkSync(target!, link);
  const hour = 3_600_000;
  const now = Date.now();
  await writeHistories(new Home(cli.home), [
    { session: "old-linked", at: now - 41 * hour, workspace: first! },
    { session: "old-direct", at: now - 40 * hour, workspace: target! },
    { session: "linked", at: now - 2 * hour, workspace: first! },
    { session: "other", at: now - hour, workspace: cli.workspace },
  ]);
  for (const folder of ["target", "first", "second"])
    expect(await listIds(cli, ["--workspace", folder])).toEqual(["linked"]);
  expect(await listIds(cli, ["--all", "--workspace", "target"])).toEqual(["linked", "old-direct", "old-linked"]);
  expect(await listIds(cli, ["--all", "--workspace", "target", "-n", "2"])).toEqual(["linked", "old-direct"]);
  expect(await listIds(cli, ["--workspace", "no-folder"])).toEqual([]);
  expect((await cli.run(["ls", "--workspace", "second"])).out).toContain("more than a day ago are left out");
});
