import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { findWorkspaceChanges } from "./workspace-changes.ts";
import { bubblewrapGitSandbox, findGitSandbox, noGitSandbox } from "./git-sandbox.ts";
import { TestRepository } from "@fairlead/testing/runtime/test-repository.ts";
import { runBounded } from "./run-bounded.ts";

interface Attack {
  readonly name: string;
  /** Changes the workspace as an agent could, so that its program runs when another program uses git there. */
  prepare(repository: TestRepository): void;
  /** An ordinary git command that runs the program. Absent for the pager, which needs a terminal. */
  readonly control?: readonly string[];
}

function configAttack(name: string, key: string, control: readonly string[], attributes?: string): Attack {
  return {
    name,
    control,
    prepare(repository) {
      repository.git("config", key, repository.addMaliciousProgram());
      if (attributes !== undefined) repository.write(".gitattributes", `*.txt ${attributes}\n`);
    },
  };
}

const diff = ["diff", "HEAD"];
const attacks: readonly Attack[] = [
  configAttack("a file system monitor", "core.fsmonitor", ["status"]),
  configAttack("an external diff", "diff.external", diff),
  configAttack("a diff driver's command", "diff.evil.command", diff, "diff=evil"),
  configAttack("a text converter", "diff.evil.textconv", diff, "diff=evil"),
  configAttack("a clean filter", "filter.evil.clean", diff, "filter=evil"),
  configAttack("a filter process", "filter.evil.process", ["add", "--all"], "filter=evil"),
  configAttack("a smudge filter", "filter.evil.smudge", ["checkout", "--", "."], "filter=evil"),
  {
    name: "an alias",
    control: ["evil"],
    prepare: (repository) => void repository.git("config", "alias.evil", `!${repository.addMaliciousProgram()}`),
  },
  {
    name: "a pager",
    prepare: (repository) => void repository.git("config", "core.pager", repository.addMaliciousProgram()),
  },
  {
    name: "an included file",
    control: ["status"],
    prepare(repository) {
      const included = repository.write("included", `[core]\n  fsmonitor = ${repository.addMaliciousProgram()}\n`);
      repository.git("config", "include.path", included);
    },
  },
  {
    name: "a hook",
    control: ["add", "--all"],
    prepare: (repository) => void repository.addMaliciousProgram(".git/hooks/post-index-change"),
  },
  {
    name: "a nested repository",
    control: diff,
    prepare(repository) {
      const inner = ["-C", "inner", "-c", "user.name=A", "-c", "user.email=a@b"];
      repository.write("inner/a.txt", "a\n");
      repository.git("init", "--quiet", "inner");
      repository.git(...inner, "add", "--all");
      repository.git(...inner, "commit", "--quiet", "--message=Inner");
      repository.commit();
      // Not `core.fsmonitor`: git passes the inspector's flags to the git that it starts there.
      repository.git("-C", "inner", "config", "filter.evil.clean", repository.addMaliciousProgram());
      repository.write("inner/.gitattributes", "*.txt filter=evil\n");
      repository.write("inner/a.txt", "b\n");
    },
  },
  {
    name: "a fetch of missing objects of a partial clone",
    control: ["cat-file", "-p", "HEAD"],
    prepare(repository) {
      repository.git("config", "core.repositoryFormatVersion", "1");
      repository.git("config", "extensions.partialClone", "origin");
      repository.git("config", "remote.origin.promisor", "true");
      repository.git("config", "remote.origin.url", "ssh://host.invalid/x");
      repository.git("config", "core.sshCommand", repository.addMaliciousProgram());
      repository.write(".git/HEAD", `${"1".repeat(40)}\n`);
    },
  },
];
const attacksWithControl = attacks.filter(({ control }) => control !== undefined);

function prepareAttack(attack: Attack): TestRepository {
  const repository = new TestRepository();
  attack.prepare(repository);
  repository.write("kept.txt", "one\nthree\n");
  repository.consumeCanary(); // the preparation may have run the program
  return repository;
}

describe.each([
  ["with bubblewrap", bubblewrapGitSandbox],
  ["without a sandbox", noGitSandbox],
])("%s", (_, sandbox) => {
  it.each(attacks)("$name does not run", async (attack) => {
    using repository = prepareAttack(attack);
    const changes = findWorkspaceChanges(repository.workspace, { sandbox });
    if (attack.name.startsWith("a fetch")) await expect(changes).rejects.toMatchObject({ code: "unavailable" });
    else expect((await changes).patch).toContain("-two\n+three\n");
    expect(repository.consumeCanary()).toBe(false);
  });
});

it("a program of the workspace that is named git does not run", async () => {
  using repository = new TestRepository();
  repository.write("bin/git", `#!/bin/sh\n${repository.addMaliciousProgram()}\n`);
  chmodSync(join(repository.workspace, "bin/git"), 0o755);
  repository.write("kept.txt", "one\nthree\n");
  vi.stubEnv("PATH", `${join(repository.workspace, "bin")}:${process.env["PATH"]}`);
  try {
    const { patch } = await findWorkspaceChanges(repository.workspace, { sandbox: noGitSandbox });
    expect(patch).toContain("-two\n+three\n");
    expect(repository.consumeCanary()).toBe(false);
  } finally {
    vi.unstubAllEnvs();
  }
});

it.each(attacksWithControl)("control: plain git runs $name", (attack) => {
  using repository = prepareAttack(attack);
  try {
    repository.git(...(attack.control ?? []));
  } catch {
    // The command may fail. Only whether it ran the program counts.
  }
  expect(repository.consumeCanary()).toBe(true);
});

describe("the sandbox", () => {
  const limits = { cwd: "/", env: { PATH: "/usr/bin:/bin" }, limit: 1000, signal: new AbortController().signal };

  it("is bubblewrap, because bubblewrap works here", async () =>
    expect(await findGitSandbox()).toBe(bubblewrapGitSandbox));

  it("allows writing only to its own folder, and has no network", async () => {
    using repository = new TestRepository();
    const { workspace, folder } = repository;
    const program = repository.addMaliciousProgram();
    repository.write("own/a", "");
    const own = join(workspace, "own");
    const script = `${program}; touch ${workspace}/b ${own}/b; cat /proc/net/dev | wc -l; ls ${own}`;
    const inside = await runBounded(bubblewrapGitSandbox(["sh", "-c", script], own, workspace), limits);
    expect(inside.output.toString()).toBe("3\na\nb\n"); // two header lines, and loopback
    expect(repository.consumeCanary()).toBe(false);
    expect(inside.stderr).toContain(`${workspace}/b`);

    await runBounded(noGitSandbox(["sh", "-c", program], folder, workspace), limits);
    expect(repository.consumeCanary()).toBe(true);
  });
});
