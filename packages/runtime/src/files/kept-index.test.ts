import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TestRepository } from "@fairlead/testing/runtime/test-repository.ts";
import { findGitSandbox, noGitSandbox } from "../review/git-sandbox.ts";
import { diffTrees } from "./diff-trees.ts";
import { KeptIndex, type KeptIndexOptions } from "./kept-index.ts";

const signal = new AbortController().signal;

async function optionsFor(folder: string, workspace: string): Promise<KeptIndexOptions> {
  return { folder: join(folder, "kept"), workspace, excluded: join(folder, "home"), sandbox: await findGitSandbox() };
}

/** Creates an index and returns a function that lists what changed since the last call. */
async function observe(options: KeptIndexOptions): Promise<() => Promise<string[]>> {
  const index = await KeptIndex.create(options, Infinity, signal);
  let last = index.baseline;
  return async () => {
    const { tree, changes } = await index.compare(last, signal);
    last = tree;
    return changes.map(({ path, change }) => `${change} ${path}`);
  };
}

class TestFolder implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "kept-"));
  readonly workspace = join(this.folder, "w");

  constructor() {
    mkdirSync(this.workspace);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe("a comparison", () => {
  it("lists what changed since the last one, and not what was changed before the first", async () => {
    using repository = new TestRepository();
    repository.write("before.txt", "before\n");
    repository.write("kept.txt", "dirty before\n");
    const changes = await observe(await optionsFor(repository.folder, repository.workspace));
    expect(await changes()).toEqual([]);
    repository.write("kept.txt", "one\n");
    repository.write("new/näw file.txt", "new\n");
    rmSync(join(repository.workspace, "gone.txt"));
    expect(await changes()).toEqual(["deleted gone.txt", "modified kept.txt", "created new/näw file.txt"]);
    expect(await changes()).toEqual([]);
    repository.write("new/näw file.txt", "again\n");
    rmSync(join(repository.workspace, "before.txt"));
    expect(await changes()).toEqual(["deleted before.txt", "modified new/näw file.txt"]);
  });

  it("does not list a file that was only touched, a commit, or ignored files", async () => {
    using repository = new TestRepository();
    repository.write(".gitignore", "ignored\n");
    repository.write(".git/info/exclude", "excluded\n");
    const changes = await observe(await optionsFor(repository.folder, repository.workspace));
    utimesSync(join(repository.workspace, "kept.txt"), 1, 1);
    repository.write("ignored", "no\n");
    repository.write("excluded", "no\n");
    repository.commit();
    expect(await changes()).toEqual([]);
  });

  it("lists files that the agent marked as unchanged", async () => {
    using repository = new TestRepository();
    const changes = await observe(await optionsFor(repository.folder, repository.workspace));
    repository.git("update-index", "--assume-unchanged", "kept.txt");
    repository.write("kept.txt", "hidden\n");
    expect(await changes()).toEqual(["modified kept.txt"]);
  });

  it("works without a repository, and leaves out the data directory", async () => {
    using test = new TestFolder();
    writeFileSync(join(test.workspace, "a.txt"), "a\n");
    writeFileSync(join(test.workspace, ".gitignore"), "ignored\n");
    const home = join(test.workspace, "my home [1]");
    mkdirSync(home);
    const options = { ...(await optionsFor(test.folder, test.workspace)), folder: join(home, "kept"), excluded: home };
    const changes = await observe(options);
    writeFileSync(join(home, "journal"), "data\n");
    writeFileSync(join(test.workspace, "a.txt"), "b\n");
    writeFileSync(join(test.workspace, "ignored"), "no\n");
    expect(await changes()).toEqual(["modified a.txt"]);
  });

  it("is limited to the workspace, relative to it", async () => {
    using repository = new TestRepository();
    repository.write("inner/kept.txt", "one\n");
    repository.commit();
    const changes = await observe(await optionsFor(repository.folder, join(repository.workspace, "inner")));
    repository.write("outside.txt", "no\n");
    repository.write("inner/kept.txt", "two\n");
    repository.write("inner/deep/new.txt", "new\n");
    expect(await changes()).toEqual(["created deep/new.txt", "modified kept.txt"]);
  });

  it("continues from the index that an earlier process kept, also after a killed git", async () => {
    using repository = new TestRepository();
    const options = await optionsFor(repository.folder, repository.workspace);
    const { baseline } = await KeptIndex.create(options, Infinity, signal);
    repository.write("kept.txt", "changed\n");
    writeFileSync(join(options.folder, "git/index.lock"), "");
    const index = await KeptIndex.open(options);
    expect((await index?.compare(baseline, signal))?.changes).toEqual([{ path: "kept.txt", change: "modified" }]);
    expect(index?.baseline).toBe(baseline);
  });

  it("opens no index that was not completed", async () => {
    using repository = new TestRepository();
    const options = await optionsFor(repository.folder, repository.workspace);
    await KeptIndex.create(options, Infinity, signal);
    writeFileSync(join(options.folder, "index.json"), '{"version":1,');
    expect(await KeptIndex.open(options)).toBeNull();
  });

  it("counts what changed since the start of the session, although the index is created later", async () => {
    using repository = new TestRepository();
    repository.write("before.txt", "before\n");
    await waitForNextTick(repository);
    const since = Date.now();
    await waitForNextTick(repository);
    repository.write("after.txt", "after\n");
    repository.write("kept.txt", "after\n");
    const index = await KeptIndex.create(await optionsFor(repository.folder, repository.workspace), since, signal);
    const { changes } = await index.compare(index.baseline, signal);
    expect(changes).toEqual([
      { path: "after.txt", change: "created" },
      { path: "kept.txt", change: "modified" },
    ]);
  });

  it("refuses a folder with too many files", async () => {
    using test = new TestFolder();
    for (const name of ["a", "b", "c"]) writeFileSync(join(test.workspace, name), "");
    const options = { ...(await optionsFor(test.folder, test.workspace)), maxFiles: 2 };
    await expect(KeptIndex.create(options, Infinity, signal)).rejects.toThrow("more than 2 files");
    expect(await KeptIndex.open(options)).toBeNull();
  });

  it("continues beside files, links and folders that git cannot store", async () => {
    using repository = new TestRepository();
    const changes = await observe(await optionsFor(repository.folder, repository.workspace));
    const { workspace } = repository;
    rmSync(join(workspace, "kept.txt"));
    execFileSync("mkfifo", [join(workspace, "kept.txt")]);
    rmSync(join(workspace, "gone.txt"));
    mkdirSync(join(workspace, "gone.txt"));
    repository.write("gone.txt/inside.txt", "inside\n");
    symlinkSync("/etc/passwd", join(workspace, "link"));
    repository.write("large.bin", "0".repeat(5 * 1024 ** 2));
    repository.git("init", "--quiet", "nested");
    repository.write("nested/a.txt", "no\n");
    writeFileSync(Buffer.concat([Buffer.from(`${workspace}/odd`), Buffer.from([0xff, 0x0a])]), "odd\n");
    expect(await changes()).toEqual([
      "deleted gone.txt",
      "created gone.txt/inside.txt",
      "deleted kept.txt",
      "created large.bin",
      "created link",
      "created odd\u{fffd}\n",
    ]);
    expect(await changes()).toEqual([]);
    repository.write("large.bin", "1".repeat(5 * 1024 ** 2));
    expect(await changes()).toEqual(["modified large.bin"]);
  });
});

/** Waits until a new file gets a later time than the files so far: the kernel's clock of files is coarse. */
async function waitForNextTick(repository: TestRepository): Promise<void> {
  const { statSync } = await import("node:fs");
  const time = (): number => statSync(repository.write(".git/tick", "")).ctimeMs;
  const now = Date.now();
  while (time() <= now) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Without a sandbox for git. In one, a program that runs could not write what shows it. */
async function unprotectedOptions({ folder, workspace }: TestRepository): Promise<KeptIndexOptions> {
  return { ...(await optionsFor(folder, workspace)), sandbox: noGitSandbox };
}

describe("what an agent configures does not run", () => {
  it.each([
    ["a file system monitor", "core.fsmonitor", undefined],
    ["a clean filter", "filter.evil.clean", "filter=evil"],
    ["a filter process", "filter.evil.process", "filter=evil"],
    ["a text converter", "diff.evil.textconv", "diff=evil"],
    ["an external diff", "diff.evil.command", "diff=evil"],
  ])("%s", async (_, key, attributes) => {
    using repository = new TestRepository();
    const index = await KeptIndex.create(await unprotectedOptions(repository), Infinity, signal);
    repository.git("config", key, repository.addMaliciousProgram());
    if (attributes !== undefined) repository.write(".gitattributes", `*.txt ${attributes}\n`);
    repository.write("kept.txt", "changed\n");
    repository.consumeCanary();
    const { tree, changes } = await index.compare(index.baseline, signal);
    expect(changes).toContainEqual({ path: "kept.txt", change: "modified" });
    expect((await diffTrees(index, index.baseline, tree, { signal })).patch).toContain("+changed");
    expect(repository.consumeCanary()).toBe(false);
    try {
      repository.git(key.startsWith("diff.") ? "diff" : "status"); // the control
    } catch {
      // The command may fail. Only whether it ran the program counts.
    }
    expect(repository.consumeCanary()).toBe(true);
  });

  it("a hook, and the filter of a nested repository", async () => {
    using repository = new TestRepository();
    const inner = ["-C", "inner", "-c", "user.name=A", "-c", "user.email=a@b"];
    repository.write("inner/a.txt", "a\n");
    repository.git("init", "--quiet", "inner");
    repository.git(...inner, "add", "--all");
    repository.git(...inner, "commit", "--quiet", "--message=Inner");
    repository.commit();
    const changes = await observe(await unprotectedOptions(repository));
    const hook = repository.addMaliciousProgram(".git/hooks/post-index-change");
    chmodSync(hook, 0o755);
    repository.git("-C", "inner", "config", "filter.evil.clean", repository.addMaliciousProgram());
    repository.write("inner/.gitattributes", "*.txt filter=evil\n");
    repository.write("inner/a.txt", "b\n");
    repository.write("kept.txt", "changed\n");
    repository.consumeCanary();
    expect(await changes()).toContain("modified kept.txt");
    expect(repository.consumeCanary()).toBe(false);
  });
});
