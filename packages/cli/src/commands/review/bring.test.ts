import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { BroughtBranch, SessionView } from "@fairlead/api";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { expect, test } from "vitest";

test("an isolated session is started, brought by its name, pruned only without work, and refused outside of a repository", async () => {
  await using cli = new TestCli();
  const repository = new PersonRepository(join(cli.workspace, "project"));
  repository.write({ "left.txt": "mine" });
  const start = ["run", "shell", "--isolated", "--workspace", repository.folder, "--name", "box"];
  const git = "git -c user.name=Agent -c user.email=agent@example.com";
  const started = await cli.run([
    ...start,
    `echo '{}' > package.json; git add -A; ${git} commit -qm work; echo x > rest`,
  ]);
  expect(started.code).toBe(0);
  expect(started.out + started.err).toContain("One uncommitted change in");
  const [view] = await cli.json<SessionView>("ls", "--all");
  expect(view?.copy).toMatchObject({ workspace: repository.folder, branch: `fairlead/${view?.session}` });
  await cli.run(["stop", "box"]);
  const kept = await cli.run(["prune", "--older-than", "0s"]);
  expect(kept.out + kept.err).toContain("a commit and an uncommitted file that you do not have");
  expect(kept.out + kept.err).toContain("No session to delete.");
  const brought = await cli.run(["bring", view?.session ?? ""]);
  expect(brought.out + brought.err).toContain("1 commit, 1 changed file. Nothing was merged.");
  expect(brought.out + brought.err).toContain("package.json (package scripts or dependencies)");
  expect(brought.out + brought.err).toContain("not brought: rest");
  const [json] = await cli.json<BroughtBranch>("bring", "box");
  expect(json).toMatchObject({ commits: 1, newCommits: 0, uncommittedFiles: 1 });
  expect(repository.git("log", "--format=%s", json?.branch ?? "")).toBe("work\nchange");
  execFileSync("rm", ["-r", json?.folder ?? ""]);
  expect((await cli.run(["prune", "--older-than", "0s"])).out).toContain("One session was deleted.");
  const refused = await cli.run(["run", "shell", "--isolated", "--workspace", cli.workspace, "true"]);
  expect(refused.code).toBe(2);
  expect(refused.out + refused.err).toContain("not in a working tree of git");
});
