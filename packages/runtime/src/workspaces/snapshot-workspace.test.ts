import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SnapshotBench } from "@fairlead/testing/runtime/snapshot-bench.ts";
import { expect, test, vi } from "vitest";
import { SnapshotStore } from "./snapshot-store.ts";

const changeEverything = String.raw`
  echo changed > a.txt; rm sub/b.txt; mkdir -p deep/er; echo new > deep/er/new.txt
  git mv moved.txt renamed.txt 2>/dev/null; echo program > run.sh; chmod +x run.sh; chmod -x tool.sh
  ln -s ../nowhere deep/link; ln -sf a.txt was-file; rm -r was-folder; echo file > was-folder
  rm was-link; mkdir was-link; echo inside > was-link/inside
  printf 'crlf\r\nlines\r\n' > windows.txt; printf '\0\1\2binary\377' > binary.bin
  printf 'name' > "$(printf 'odd name\n\377"')"; : > empty
  printf '* text eol=lf\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n' > .gitattributes
  printf '$Id$\n' > keyword.id
  printf 'ignored/\n*.log\n' > .gitignore; mkdir ignored; echo x > ignored/x; echo x > trace.log
  echo excluded.txt >> .git/info/exclude; echo x > excluded.txt
  git add -A; git -c user.name=a -c user.email=a@b commit -qm "the agent commits"; echo later >> a.txt
  printf 'not utf-16' > text.u16
`;

const files = {
  "a.txt": "one\n",
  "sub/b.txt": "two\n",
  "moved.txt": "moved\n",
  "tool.sh": "#!/bin/sh\n",
  "was-file": "file\n",
  "was-folder/x": "x\n",
};

function prepare(): SnapshotBench {
  const bench = new SnapshotBench(files);
  const { person } = bench;
  execFileSync("sh", ["-c", "chmod +x tool.sh; ln -s a.txt was-link"], { cwd: person.folder });
  person.commit({});
  person.git("push", "--quiet", "origin", "main");
  return bench;
}

test("another host gets exactly the files of the last snapshot, and the branch as it was", async () => {
  using bench = prepare();
  const repository = await bench.start();
  expect(bench.inWorkspace("status", "--porcelain", "--branch")).toBe("## main...origin/main");
  bench.run(changeEverything);
  const expected = bench.listTree();
  const commit = await bench.snapshot(repository);
  expect(bench.inRemote("rev-parse", "refs/fairlead/one")).toBe(commit);
  expect(bench.inRemote("log", "-1", "--format=%P%n%B", commit)).toContain(
    `${repository.commit}\nSnapshot of session one after turn t1`,
  );
  bench.run("echo after the snapshot > a.txt; echo x > lost.txt");
  expect(await bench.restore(repository)).toEqual({ commit });
  for (const ignored of ["ignored/x", "trace.log", "excluded.txt"]) {
    expect(expected[ignored]).toBe("file x\n"); // control
    delete expected[ignored];
  }
  expect(bench.listTree()).toEqual(expected);
  expect(bench.inWorkspace("rev-parse", "HEAD")).toBe(repository.commit);
  expect(bench.inWorkspace("symbolic-ref", "HEAD")).toBe("refs/heads/main");
  expect(bench.inWorkspace("diff", "--cached")).toBe("");
  expect(bench.inWorkspace("status", "--porcelain")).toContain("D sub/b.txt");
  expect(bench.inWorkspace("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main\nrefs/remotes/origin/main");
  expect(existsSync(join(bench.workspace, ".git/info/attributes"))).toBe(false);
});

test("an unchanged tree gives the same commit, and each snapshot follows the one before", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  expect(await bench.snapshot(repository)).toBe(repository.commit);
  expect(bench.inRemote("for-each-ref", "refs/fairlead")).toBe("");
  bench.run("echo two > a.txt");
  const first = await bench.snapshot(repository);
  expect(await bench.snapshot(repository)).toBe(first);
  bench.run("touch a.txt; rm -r sub");
  const second = await bench.snapshot(repository);
  bench.run("git checkout -q -- sub; git commit -qam agent");
  const third = await bench.snapshot(repository);
  expect(bench.inRemote("rev-list", "refs/fairlead/one").split("\n")).toEqual([
    third,
    second,
    first,
    ...bench.inRemote("rev-list", repository.commit).split("\n"),
  ]);
});

test("a host on which the session continued makes snapshots, and the earlier one cannot any more", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  const first = await bench.snapshot(repository);
  bench.run("echo three > a.txt");
  await bench.restore(repository);
  await bench.claim(repository);
  expect(readFileSync(join(bench.workspace, "a.txt"), "utf8")).toBe("two\n");
  bench.run("echo stale > a.txt");
  await expect(bench.snapshot(repository)).rejects.toMatchObject({ code: "fenced" });
  bench.run("echo four > a.txt; echo new > new.txt");
  const [, home] = bench.hosts;
  const next = await bench.snapshot(repository, { home });
  expect(bench.inRemote("rev-list", "refs/fairlead/one").split("\n")).toEqual([
    next,
    expect.any(String), // the one by which the second host took over
    first,
    repository.commit,
  ]);
  expect(bench.inRemote("show", "refs/fairlead/one:a.txt")).toBe("four");
});

test("a session that never had a snapshot begins with its first commit, also if the branch was rewritten", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  const expected = bench.listTree();
  bench.run("echo lost > a.txt");
  bench.person.git("commit", "--quiet", "--amend", "-m", "rewritten");
  bench.person.git("push", "--quiet", "--force", "origin", "main");
  expect(await bench.restore(repository)).toEqual({ commit: repository.commit });
  await bench.claim(repository);
  expect(bench.listTree()).toEqual(expected);
  bench.run("echo stale > a.txt");
  await expect(bench.snapshot(repository)).rejects.toMatchObject({ code: "fenced" });
});

test("a session that continues another one begins with the files of its last snapshot", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  const commit = await bench.snapshot(repository);
  expect(await bench.restore(repository, { session: "two", continues: "one" })).toEqual({ commit });
  bench.run("echo three > a.txt");
  const [, home] = bench.hosts;
  const next = await bench.snapshot(repository, { session: "two", home });
  expect(bench.inRemote("for-each-ref", "--format=%(refname) %(objectname)", "refs/fairlead")).toBe(
    `refs/fairlead/one ${commit}\nrefs/fairlead/two ${next}`,
  );
  // On the host of the first session, the second one has no store yet.
  bench.run("echo four > a.txt; rm -r sub");
  await bench.snapshot(repository, { session: "three" });
  expect(bench.inRemote("diff", "--name-status", repository.commit, "refs/fairlead/three")).toBe(
    "M\ta.txt\nD\tsub/b.txt",
  );
});

test.each(["2", "0"])("the first snapshot is pushed when the branch has moved, with protocol %s", async (version) => {
  using bench = new SnapshotBench({ "a.txt": "one\n", "b.txt": "b".repeat(100_000) });
  Object.assign(bench.environment, {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "protocol.version",
    GIT_CONFIG_VALUE_0: version,
  });
  bench.inRemote("config", "uploadpack.allowAnySHA1InWant", "true");
  const repository = await bench.start();
  bench.person.commit({ "c.txt": "moved\n" });
  bench.person.git("push", "--quiet", "origin", "main");
  bench.run("echo two > a.txt");
  const commit = await bench.snapshot(repository);
  expect(bench.inRemote("diff", "--name-status", repository.commit, commit)).toBe("M\ta.txt");
  const store = join(bench.hosts[0].snapshotFolder("one"), "git");
  const files = execFileSync("git", ["--git-dir", store, "cat-file", "--batch-all-objects", "--batch-check"], {
    encoding: "utf8",
  }).match(/ blob /g);
  // Only an old protocol needs the files that have not changed.
  expect(files).toHaveLength(version === "2" ? 1 : 3);
});

test("a repository that is away for a while gets all snapshots later", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  renameSync(bench.remote, `${bench.remote}.away`);
  await expect(bench.snapshot(repository)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("cannot be pushed") as unknown,
  });
  renameSync(`${bench.remote}.away`, bench.remote);
  const commit = await bench.snapshot(repository);
  expect(bench.inRemote("show", `${commit}:a.txt`)).toBe("two");
});

test("a repository that does not answer keeps a turn for no longer than the bound", async () => {
  using bench = new SnapshotBench();
  bench.environment["GIT_SSH_COMMAND"] = "sleep 60; true";
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  const silent = { ...repository, url: "ssh://git@localhost/project" };
  const startedAt = performance.now();
  await expect(bench.snapshot(silent, { timeout: 1000 })).rejects.toMatchObject({ code: "timed-out" });
  expect(performance.now() - startedAt).toBeLessThan(3000);
  const commit = await bench.snapshot(repository);
  expect(bench.inRemote("show", `${commit}:a.txt`)).toBe("two");
});

test("a lost or damaged store is built again", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  const first = await bench.snapshot(repository);
  const folder = bench.hosts[0].snapshotFolder("one");
  rmSync(folder, { recursive: true });
  bench.run("echo three > a.txt");
  const second = await bench.snapshot(repository);
  expect(bench.inRemote("rev-list", "refs/fairlead/one").split("\n").slice(0, 2)).toEqual([second, first]);
  rmSync(join(folder, "git/objects"), { recursive: true });
  bench.run("echo four > a.txt");
  await expect(bench.snapshot(repository)).rejects.toMatchObject({ code: "unavailable" });
  const third = await bench.snapshot(repository);
  expect(bench.inRemote("rev-list", "refs/fairlead/one").split("\n").slice(0, 2)).toEqual([third, second]);
});

test("a snapshot follows one that a clock dated later", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  const first = await bench.snapshot(repository);
  rmSync(bench.hosts[0].snapshotFolder("one"), { recursive: true });
  bench.run("echo three > a.txt");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
  try {
    const second = await bench.snapshot(repository);
    expect(bench.inRemote("rev-list", "refs/fairlead/one").split("\n").slice(0, 2)).toEqual([second, first]);
  } finally {
    vi.useRealTimers();
  }
});

test("the store does not grow with the session", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  const [home] = bench.hosts;
  const count = (): number => {
    const git = join(home.snapshotFolder("one"), "git");
    const args = ["--git-dir", git, "cat-file", "--batch-all-objects", "--batch-check"];
    return execFileSync("git", args, { encoding: "utf8" }).split("\n").length - 1;
  };
  const before = count();
  for (const text of ["two", "three", "four"]) {
    bench.run(`echo ${text} > a.txt`);
    await bench.snapshot(repository);
  }
  expect(count()).toBe(before + 9);
  const store = SnapshotStore.open(home.snapshotFolder("one"), bench.workspace);
  await store?.compact(AbortSignal.timeout(10_000));
  expect(count()).toBe(before + 9); // control: only after many snapshots
  await store?.compact(AbortSignal.timeout(10_000), { force: true });
  expect(count()).toBe(before);
  bench.run("echo five > sub/b.txt");
  const commit = await bench.snapshot(repository);
  expect(bench.inRemote("show", `${commit}:a.txt`, `${commit}:sub/b.txt`)).toBe("four\nfive");
  expect(count()).toBe(before + 4);
});

test("a link in the place of the workspace is not followed", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  rmSync(bench.workspace, { recursive: true });
  symlinkSync(bench.person.folder, bench.workspace);
  await expect(bench.snapshot(repository)).rejects.toMatchObject({ code: "conflict" });
});
