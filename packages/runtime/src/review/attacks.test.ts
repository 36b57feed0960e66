import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changesOf } from "./changes-of.ts";
import { closed, findEnclosure, open } from "./enclosure.ts";
import { RepositoryForTest } from "./repository-for-test.ts";
import { runBounded } from "./run-bounded.ts";

interface Attack {
  readonly name: string;
  /** What an agent does to its workspace, so that a program of its runs when others use git there. */
  prepare(repository: RepositoryForTest): void;
  /** An ordinary use of git, which falls for it; a pager takes a terminal. */
  readonly control?: readonly string[];
}

function config(name: string, key: string, control: readonly string[], attributes?: string): Attack {
  return {
    name,
    control,
    prepare(repository) {
      repository.git("config", key, repository.evil());
      if (attributes !== undefined) repository.write(".gitattributes", `*.txt ${attributes}\n`);
    },
  };
}

const diff = ["diff", "HEAD"];
const attacks: readonly Attack[] = [
  config("a monitor of files", "core.fsmonitor", ["status"]),
  config("an external diff", "diff.external", diff),
  config("a diff driver's command", "diff.evil.command", diff, "diff=evil"),
  config("a text converter", "diff.evil.textconv", diff, "diff=evil"),
  config("a clean filter", "filter.evil.clean", diff, "filter=evil"),
  config("a filter process", "filter.evil.process", ["add", "--all"], "filter=evil"),
  config("a smudge filter", "filter.evil.smudge", ["checkout", "--", "."], "filter=evil"),
  {
    name: "an alias",
    control: ["evil"],
    prepare: (repository) => void repository.git("config", "alias.evil", `!${repository.evil()}`),
  },
  {
    name: "a pager",
    prepare: (repository) => void repository.git("config", "core.pager", repository.evil()),
  },
  {
    name: "an included file",
    control: ["status"],
    prepare(repository) {
      const included = repository.write("included", `[core]\n  fsmonitor = ${repository.evil()}\n`);
      repository.git("config", "include.path", included);
    },
  },
  {
    name: "a hook",
    control: ["add", "--all"],
    prepare: (repository) => void repository.evil(".git/hooks/post-index-change"),
  },
  {
    name: "a repository inside",
    control: diff,
    prepare(repository) {
      const inner = ["-C", "inner", "-c", "user.name=A", "-c", "user.email=a@b"];
      repository.write("inner/a.txt", "a\n");
      repository.git("init", "--quiet", "inner");
      repository.git(...inner, "add", "--all");
      repository.git(...inner, "commit", "--quiet", "--message=Inner");
      repository.commit();
      // Not a monitor of files: to the git that it starts there, git hands our flags on.
      repository.git("-C", "inner", "config", "filter.evil.clean", repository.evil());
      repository.write("inner/.gitattributes", "*.txt filter=evil\n");
      repository.write("inner/a.txt", "b\n");
    },
  },
  {
    name: "a fetch of what a partial clone lacks",
    control: ["cat-file", "-p", "HEAD"],
    prepare(repository) {
      repository.git("config", "core.repositoryFormatVersion", "1");
      repository.git("config", "extensions.partialClone", "origin");
      repository.git("config", "remote.origin.promisor", "true");
      repository.git("config", "remote.origin.url", "ssh://nobody.invalid/x");
      repository.git("config", "core.sshCommand", repository.evil());
      repository.write(".git/HEAD", `${"1".repeat(40)}\n`);
    },
  },
];
const controlled = attacks.filter(({ control }) => control !== undefined);

function attacked(attack: Attack): RepositoryForTest {
  const repository = new RepositoryForTest();
  attack.prepare(repository);
  repository.write("kept.txt", "one\nthree\n");
  repository.hasSung(); // preparing may have set it off
  return repository;
}

describe.each([
  ["closed", closed],
  ["open", open],
])("in an enclosure that is %s", (_, enclosure) => {
  it.each(attacks)("$name does not run", async (attack) => {
    using repository = attacked(attack);
    const looking = changesOf(repository.workspace, { enclosure });
    if (attack.name.startsWith("a fetch")) await expect(looking).rejects.toMatchObject({ code: "unavailable" });
    else expect((await looking).patch).toContain("-two\n+three\n");
    expect(repository.hasSung()).toBe(false);
  });
});

it.each(controlled)("control: plain git runs $name", (attack) => {
  using repository = attacked(attack);
  try {
    repository.git(...(attack.control ?? []));
  } catch {
    // It may fail as well; what counts is what it has run.
  }
  expect(repository.hasSung()).toBe(true);
});

describe("an enclosure", () => {
  const bounds = { cwd: "/", env: { PATH: "/usr/bin:/bin" }, limit: 1000, signal: new AbortController().signal };

  it("is closed here, because bubblewrap works", async () => expect(await findEnclosure()).toBe(closed));

  it("lets nothing be written but to its own folder, and has no network", async () => {
    using repository = new RepositoryForTest();
    const { workspace, folder } = repository;
    const evil = repository.evil();
    repository.write("own/a", "");
    const own = join(workspace, "own");
    const script = `${evil}; touch ${workspace}/b ${own}/b; cat /proc/net/dev | wc -l; ls ${own}`;
    const inside = await runBounded(closed(["sh", "-c", script], own, workspace), bounds);
    expect(inside.output.toString()).toBe("3\na\nb\n"); // two lines of heading, and loopback
    expect(repository.hasSung()).toBe(false);
    expect(inside.complaint).toContain(`${workspace}/b`);

    await runBounded(open(["sh", "-c", evil], folder, workspace), bounds);
    expect(repository.hasSung()).toBe(true);
  });
});
