import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { DecisionView, RunView } from "@fairlead/api";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { writeStartedRun } from "@fairlead/testing/foreman/write-started-run.ts";
import { expect, test, vi } from "vitest";

// Each test starts a daemon, agents and a dozen commands.
vi.setConfig({ testTimeout: 400_000 });

const run = "run-abcdefgh";

interface Status {
  readonly daemon: { readonly pid: number };
  readonly decisions: readonly DecisionView[];
}

async function waitForDecision(cli: TestCli): Promise<Status> {
  return await vi.waitFor(
    async () => {
      const [status] = await cli.json<Status>("status");
      expect(status?.decisions).toHaveLength(1);
      return status!;
    },
    { timeout: 180_000, interval: 500 },
  );
}

test("a run continues after its daemon is killed, is followed meanwhile, and ends as the person decides", async () => {
  await using cli = new TestCli();
  const remote = join(cli.workspace, "remote.git");
  await writeStartedRun(cli.home, run, join(cli.workspace, "project"), remote);
  expect((await cli.run(["foreman", "show", run])).out).toContain("Write b.txt");
  const following = cli.run(["foreman", "show", run, "-f"]);
  const { daemon } = await waitForDecision(cli);

  process.kill(daemon.pid, "SIGKILL");
  const again = await vi.waitFor(
    async () => {
      await cli.run(["foreman", "ls"]); // starts a daemon
      return await waitForDecision(cli);
    },
    { timeout: 180_000 },
  );
  expect(again.daemon.pid).not.toBe(daemon.pid);
  expect((await cli.run(["status"])).out).toMatch(
    /^run-abcdefgh +foreman +waiting for .+ +[\da-f]{12} +Send for merging: Write b\.txt$/m,
  );

  const shown = (await cli.run(["approve", "run-abc", "--show"])).out;
  expect(shown).toContain(`${run} asks for approval:`);
  expect(shown).toContain("passed: test -f b.txt");
  expect(shown).toMatch(/^ {6}b\.txt$/m);
  expect(shown).toContain(`Read the changes with: fairlead diff ${run}`);
  expect((await cli.run(["diff", "run-abc"])).out).toContain("+++ b/b.txt\n@@ -0,0 +1 @@\n+two\n");
  expect((await cli.run(["deny", "run-x"])).code).toBe(5);
  expect(await cli.run(["approve", "run-abc"])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Approved for ${run}: Send for merging: Write b.txt`),
  });
  const followed = await following;
  expect(followed.code).toBe(0);
  expect(followed.out.split("\n")[0]).toContain(`ann started ${run} in`);
  expect(followed.out).toContain(`Approve it with: fairlead approve ${run}\n`);
  for (const sentence of ["builds task write", "The command passed", "approved tree", "approved it.", "pushed tree"])
    expect(followed.out.split(sentence), sentence).toHaveLength(2); // once
  expect(followed.out).toContain("The run ended: done.");

  const [view] = await cli.json<RunView>("foreman", "show", run);
  expect(view).toMatchObject({ outcome: "done", decision: null, verdict: { verdict: "approve" } });
  expect(execFileSync("git", ["-C", remote, "show", `fairlead/${run}:b.txt`], { encoding: "utf8" })).toBe("two\n");
  expect((await cli.run(["foreman", "why", run])).out).toContain("It is the tree that was reviewed and approved.");
  expect((await cli.run(["approve", run])).err).toContain("has no open decision");
});

test("a run that a person denies pushes nothing", async () => {
  await using cli = new TestCli();
  const remote = join(cli.workspace, "remote.git");
  await writeStartedRun(cli.home, run, join(cli.workspace, "project"), remote);
  await cli.run(["up"]);
  await waitForDecision(cli);
  expect((await cli.run(["deny", run, "--message", "not now"])).code).toBe(0);
  expect((await cli.run(["foreman", "show", run, "-f"])).code).toBe(1);
  const [view] = await cli.json<RunView>("foreman", "show", run);
  expect(view).toMatchObject({ outcome: "blocked", reason: expect.stringContaining("not now") });
  expect(execFileSync("git", ["-C", remote, "branch", "--list"], { encoding: "utf8" })).toBe("");
});
