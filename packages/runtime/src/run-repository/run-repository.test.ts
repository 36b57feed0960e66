import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "@fairlead/testing/runtime/isolated-session.ts";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { expect, test } from "vitest";
import { RunRepository } from "./run-repository.ts";

const run = "run-1";

async function prepare(testHome: TestHome, files?: Readonly<Record<string, string>>) {
  const person = new PersonRepository(join(testHome.folder, "project"), files);
  const repository = new RunRepository(testHome.home, run);
  const origin = await repository.create(person.folder);
  const git = (...args: string[]): string =>
    execFileSync("git", args, { env: { ...process.env, GIT_DIR: repository.folder }, encoding: "utf8" }).trim();
  return { person, repository, origin, git };
}

async function startIn(testHome: TestHome, workspace: string, session: string, base: string) {
  const runtime = await testHome.open();
  return await runtime.start({ agent: "shell", workspace, session, isolated: { base, run } });
}

test("the files of a clone are stored as a commit, without the agent's git", async () => {
  await using testHome = new TestHome();
  const { person, repository, origin, git } = await prepare(testHome, { "a.txt": "one\n", ".gitignore": "*.log\n" });
  const { base } = origin;
  person.commit({ "later.txt": "the person continues\n" });
  const session = await startIn(testHome, person.folder, "one", base);
  const prepared = await runCommand(
    session,
    "ls; echo two > b.txt; chmod +x b.txt; ln -s a.txt link; echo x > x.log; git config filter.x.clean 'echo filtered'; echo '*.txt filter=x' > .gitattributes; mkdir -p .git/hooks; echo 'touch /tmp/ran' > .git/hooks/pre-commit",
  );
  expect(prepared).not.toContain("later.txt");
  const first = await repository.snapshot("one", [base], "work\n");
  expect(git("ls-tree", "--name-only", first.tree).split("\n")).toEqual([
    ".gitattributes",
    ".gitignore",
    "a.txt",
    "b.txt",
    "link",
  ]);
  expect(git("show", `${first.commit}:b.txt`)).toBe("two");
  expect(git("ls-tree", first.tree, "b.txt", "link")).toMatch(/^100755 .*\n120000 /);
  expect(await repository.compare(base, first.commit)).toEqual({ files: 3, added: 3, removed: 0 });
  // A repeated snapshot is the same tree. A changed one is another.
  expect((await repository.snapshot("one", [base], "work\n")).tree).toBe(first.tree);
  await runCommand(
    session,
    "git rm --quiet --cached a.txt; rm a.txt; git -c user.name=A -c user.email=a@b commit -qam x",
  );
  const second = await repository.snapshot("one", [base], "work\n");
  expect(await repository.listChangedPaths(first.commit, second.commit)).toEqual(["a.txt"]);
  expect(await repository.readPatch(first.commit, second.commit, 10_000)).toContain("-one");
  // Another session starts from the snapshot, which only the run's repository has.
  const other = await startIn(testHome, person.folder, "two", first.commit);
  expect(await runCommand(other, "cat b.txt; git status --short; git log --oneline | wc -l; git fsck")).toContain(
    "two\\n2\\n",
  );
  expect(() => person.git("cat-file", "-e", first.commit)).toThrow();
  // What it leaves is removed with the clone.
  await other.end();
  await repository.discard("two");
  expect(readdirSync(testHome.home.copiesFolder)).toEqual(["one"]);
  expect(existsSync("/tmp/ran")).toBe(false);
});

test("two commits are merged, and conflicts are named", async () => {
  await using testHome = new TestHome();
  const { person, repository, origin, git } = await prepare(testHome);
  const { base } = origin;
  const snapshots: Record<string, { tree: string; commit: string }> = {};
  for (const [name, command] of [
    ["left", "echo left > a.txt"],
    ["right", "echo right > a.txt; echo more > more.txt"],
    ["other", "echo other > other.txt"],
  ] as const) {
    const session = await startIn(testHome, person.folder, name, base);
    await runCommand(session, command);
    snapshots[name] = await repository.snapshot(name, [base], `${name}\n`);
  }
  const commitOf = (name: string): string => snapshots[name]?.commit ?? "";
  const clean = await repository.merge(commitOf("left"), commitOf("other"), "join\n");
  expect(clean.conflicts).toEqual([]);
  expect(git("ls-tree", "--name-only", clean.tree)).toBe("a.txt\nother.txt");
  expect(git("log", "--format=%s", clean.commit).split("\n")).toHaveLength(4);
  const conflicted = await repository.merge(commitOf("left"), commitOf("right"), "join\n");
  expect(conflicted.conflicts).toEqual(["a.txt"]);
  expect(git("show", `${conflicted.commit}:a.txt`)).toContain("<<<<<<<");
});

test("a run of another repository lends no objects", async () => {
  await using testHome = new TestHome();
  const { origin } = await prepare(testHome);
  const other = new PersonRepository(join(testHome.folder, "other"));
  await expect(startIn(testHome, other.folder, "one", origin.base)).rejects.toThrow("is not a run in this repository");
  await expect(startIn(testHome, other.folder, "one", "0".repeat(40))).rejects.toThrow(
    "is not a run in this repository",
  );
});

test("creating it again changes nothing, even if the person has committed since", async () => {
  await using testHome = new TestHome();
  const { person, repository, origin } = await prepare(testHome);
  person.commit({ "a.txt": "two\n" });
  expect(await repository.create(person.folder)).toEqual(origin);
});

test("git does not look into a submodule that the agent has filled, and the submodule stays as it is", async () => {
  await using testHome = new TestHome();
  const person = new PersonRepository(join(testHome.folder, "project"));
  // A commit that the agent has, so that it can fill the submodule with it. Git then looks for changes of its files.
  const first = person.git("rev-parse", "HEAD");
  person.git("update-index", "--add", "--cacheinfo", `160000,${first},sub`);
  person.git("commit", "--quiet", "-m", "with a submodule");
  const repository = new RunRepository(testHome.home, run);
  const { base } = await repository.create(person.folder);
  const session = await startIn(testHome, person.folder, "one", base);
  await runCommand(
    session,
    `cd sub && git init -q && echo "$(dirname $PWD)/.git/objects" > .git/objects/info/alternates && git update-ref HEAD ${first} && git reset -q --hard && echo '* filter=x' > .git/info/attributes && git config filter.x.clean 'touch ${repository.folder}/ran; cat' && echo eno > a.txt && cd .. && echo two > b.txt`,
  );
  const { commit } = await repository.snapshot("one", [base], "work\n");
  expect(await repository.listChangedPaths(base, commit)).toEqual(["b.txt"]);
  // The folder of the run's repository is the only one that a filter could write to.
  const { commit: again } = await repository.snapshot("one", [base], "work\n");
  expect(await repository.listChangedPaths(base, again)).toEqual(["b.txt"]);
  expect(existsSync(join(repository.folder, "ran"))).toBe(false);
});
