import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { SnapshotBench } from "@fairlead/testing/runtime/snapshot-bench.ts";
import { describe, expect, test, vi } from "vitest";
import type * as gitSandbox from "../review/git-sandbox.ts";
import { runBounded } from "../review/run-bounded.ts";
import { removeSnapshots } from "./push-snapshot.ts";
import { strictGitSandbox } from "./snapshot-sandbox.ts";
import { SnapshotStore } from "./snapshot-store.ts";

// In a sandbox, a program that runs could not write what shows it.
vi.mock(import("../review/git-sandbox.ts"), async (load) => {
  const original: typeof gitSandbox = await load();
  return { ...original, findGitSandbox: () => Promise.resolve(original.noGitSandbox) };
});

/** A program that leaves a trace. */
class Canary {
  readonly #trace: string;
  readonly program: string;

  constructor({ folder }: SnapshotBench) {
    this.#trace = join(folder, "ran");
    this.program = join(folder, "evil.sh");
    writeFileSync(this.program, `#!/bin/sh\ntouch ${this.#trace}\n`);
    chmodSync(this.program, 0o755);
  }

  /** Returns whether the program has run, and resets the trace. */
  consume(): boolean {
    const hasRun = existsSync(this.#trace);
    rmSync(this.#trace, { force: true });
    return hasRun;
  }
}

const hooks =
  `pre-push post-index-change reference-transaction post-checkout pre-auto-gc pre-receive update post-receive
  post-update proc-receive push-to-checkout`.split(/\s+/);
const programKeys = `core.fsmonitor core.sshCommand core.alternateRefsCommand core.pager core.gitProxy core.editor
  diff.external diff.evil.command diff.evil.textconv filter.evil.clean filter.evil.smudge filter.evil.process
  uploadpack.packObjectsHook gc.recentObjectsHook remote.origin.uploadpack remote.origin.receivepack credential.helper
  sequence.editor gpg.program`.split(/\s+/);

/** Configures everything in a git folder by which git runs programs. */
function configure(gitFolder: string, { program }: Canary): void {
  mkdirSync(join(gitFolder, "hooks"), { recursive: true });
  for (const hook of hooks)
    writeFileSync(join(gitFolder, "hooks", hook), `#!/bin/sh\n${program} < /dev/null\n`, { mode: 0o755 });
  const config = (key: string, value: string): void =>
    void execFileSync("git", ["config", "--file", join(gitFolder, "config"), key, value]);
  for (const key of programKeys) config(key, program);
  config("protocol.ext.allow", "always");
  config(`url.ext::${program} .insteadOf`, "/");
  config("core.hooksPath", join(gitFolder, "hooks"));
  config("receive.autogc", "true");
  config("gc.auto", "1");
  config("push.gpgSign", "true");
  config("status.submoduleSummary", "true");
}

test("nothing that the agent configured in its workspace runs", async () => {
  using bench = new SnapshotBench();
  // A submodule, in which git would look for changes with the configuration that the agent gave it.
  bench.person.git("update-index", "--add", "--cacheinfo", `160000,${bench.person.git("rev-parse", "HEAD")},inner`);
  bench.person.git("commit", "--quiet", "-m", "submodule");
  bench.person.git("push", "--quiet", "origin", "main");
  const repository = await bench.start();
  const canary = new Canary(bench);
  bench.run(`
    echo two > a.txt; touch sub/b.txt; printf '* filter=evil diff=evil\\n' > .gitattributes
    git init -q inner; cd inner; echo a > a; git add a; git -c user.name=a -c user.email=a@b commit -qm inner
    printf '* filter=evil\\n' > .gitattributes; echo b > a; cd ..
    printf '[submodule "inner"]\\n\\tpath = inner\\n\\turl = ext::${canary.program}\\n\\tupdate = !${canary.program}\\n' > .gitmodules`);
  configure(join(bench.workspace, ".git"), canary);
  configure(join(bench.workspace, "inner/.git"), canary);
  const commit = await bench.snapshot(repository);
  await bench.restore(repository);
  expect(canary.consume()).toBe(false);
  expect(bench.inRemote("show", `${commit}:a.txt`)).toBe("two");
  configure(join(bench.workspace, ".git"), canary);
  bench.run("git status || true");
  expect(canary.consume()).toBe(true); // control: plain git runs it
});

test("a repository on this machine runs nothing when it is cloned, or when it gets and loses snapshots", async () => {
  using bench = new SnapshotBench();
  const canary = new Canary(bench);
  const repository = { url: bench.remote, ref: "refs/heads/main", commit: bench.inRemote("rev-parse", "main") };
  const other = new PersonRepository(join(bench.folder, "other"));
  mkdirSync(join(bench.remote, "objects/info"), { recursive: true });
  writeFileSync(join(bench.remote, "objects/info/alternates"), `${join(other.folder, ".git/objects")}\n`);
  configure(bench.remote, canary);
  await bench.start(repository);
  bench.run("echo two > a.txt");
  const commit = await bench.snapshot(repository);
  bench.run("echo three > a.txt");
  await bench.snapshot(repository);
  await bench.restore(repository);
  const inRemote = (...args: string[]): string =>
    execFileSync("git", ["--git-dir", bench.remote, "-c", "core.hooksPath=/dev/null", ...args], { encoding: "utf8" });
  expect(inRemote("show", `${commit}:a.txt`)).toBe("two\n");
  const { workspace, environment } = bench;
  const { gitFolder } = SnapshotStore.open(bench.hosts[1].snapshotFolder("one"), workspace)!;
  const signal = AbortSignal.timeout(10_000);
  await removeSnapshots({ session: "one", workspace, repository, environment, gitFolder, signal });
  expect(canary.consume()).toBe(false);
  expect(inRemote("for-each-ref", "refs/fairlead")).toBe("");
  bench.person.git("push", "--quiet", bench.remote, "main:other");
  expect(canary.consume()).toBe(true); // control: a plain push runs it
});

test("files that name filters in the repository are written as they are", async () => {
  using bench = new SnapshotBench({ ".gitattributes": "* filter=evil\n", "a.txt": "one\n" });
  const canary = new Canary(bench);
  const home = join(bench.folder, "home");
  mkdirSync(home);
  for (const filter of ["clean", "smudge"])
    execFileSync("git", ["config", "--file", join(home, ".gitconfig"), `filter.evil.${filter}`, canary.program]);
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  await bench.snapshot(repository);
  await bench.restore(repository);
  expect(canary.consume()).toBe(false);
  execFileSync("git", ["clone", "-q", bench.remote, join(bench.folder, "plain")], {
    env: { ...process.env, HOME: home },
  });
  expect(canary.consume()).toBe(true); // control: plain git runs the filter of the host's user
});

test("objects that the agent borrows, and its replacements, are not in a snapshot", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  const secret = new PersonRepository(join(bench.folder, "secret"), { "password.txt": "hunter2" });
  const secretCommit = secret.git("rev-parse", "HEAD");
  bench.run(`
    echo ${secret.folder}/.git/objects >> .git/objects/info/alternates
    git replace ${repository.commit} ${secretCommit}; git replace -f $(git hash-object a.txt) $(git rev-parse ${secretCommit}:password.txt)
    git update-ref HEAD ${secretCommit}; git reset -q; echo two > new.txt`);
  expect(bench.inWorkspace("show", `${repository.commit}:password.txt`)).toBe("hunter2"); // control
  const commit = await bench.snapshot(repository);
  expect(bench.inRemote("rev-parse", `${commit}^`)).toBe(repository.commit);
  expect(bench.inRemote("ls-tree", "-r", "--name-only", commit)).toBe("a.txt\nnew.txt\nsub/b.txt");
  expect(() => bench.inRemote("cat-file", "-e", secretCommit)).toThrow();
});

test("a folder that became a link is stored as a link, and a program of the workspace named git does not run", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  const canary = new Canary(bench);
  mkdirSync(join(bench.folder, "secrets"));
  writeFileSync(join(bench.folder, "secrets/b.txt"), "hunter2");
  bench.run(`rm -r sub; ln -s ${bench.folder}/secrets sub; mkdir bin; cp ${canary.program} bin/git`);
  const path = `${join(bench.workspace, "bin")}:${bench.environment["PATH"]}`;
  bench.environment["PATH"] = path;
  vi.stubEnv("PATH", path);
  const commit = await bench.snapshot(repository).finally(() => vi.unstubAllEnvs());
  expect(canary.consume()).toBe(false);
  expect(bench.inRemote("ls-tree", commit, "sub")).toMatch(/^120000 blob/);
});

test.each(["ext::touch%20RAN", "http://127.0.0.1:9/project"])(
  "the transport of %s is not allowed",
  async (template) => {
    using bench = new SnapshotBench();
    const repository = await bench.start();
    bench.run("echo two > a.txt");
    const trace = join(bench.folder, "ran");
    const url = template.replace("%20RAN", ` ${trace}`);
    await expect(bench.snapshot({ ...repository, url })).rejects.toThrow(/transport '\w+' not allowed/);
    // Not by a redirect of the host's configuration either.
    Object.assign(bench.environment, {
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: `url.${url}.insteadOf`,
      GIT_CONFIG_VALUE_0: bench.remote,
      GIT_CONFIG_KEY_1: "protocol.ext.allow",
      GIT_CONFIG_VALUE_1: "always",
    });
    await expect(bench.snapshot(repository)).rejects.toThrow(/transport '\w+' not allowed/);
    expect(existsSync(trace)).toBe(false);
  },
);

describe("the sandbox of snapshots", () => {
  const run = async (script: string, writable: string, workspace: string): Promise<string> => {
    const limits = { cwd: "/", env: { PATH: "/usr/bin:/bin" }, limit: 10_000, signal: AbortSignal.timeout(10_000) };
    const { output, stderr } = await runBounded(strictGitSandbox(["sh", "-c", script], writable, workspace), limits);
    return `${output.toString()}${stderr}`;
  };

  test("shows the workspace, the store and the system, and no other file of the user", async () => {
    using bench = new SnapshotBench();
    await bench.start();
    const secret = join(bench.folder, "secret");
    writeFileSync(secret, "hunter2");
    const [{ folder: store }] = bench.hosts;
    const output = await run(
      `cat a.txt; echo x > ${store}/x; git --version; cat ${secret}; ls /home /root /etc; echo x > a.txt`,
      store,
      bench.workspace,
    );
    expect(output).toMatch(/^one\ngit version/);
    expect(output).not.toContain("hunter2");
    expect(output).toContain(`${secret}: No such file`);
    expect(output).toContain("ls: cannot access '/home'");
    expect(output).toContain("Read-only file system");
    expect(existsSync(join(store, "x"))).toBe(true);
    expect(execFileSync("cat", [secret], { encoding: "utf8" })).toBe("hunter2"); // control
  });
});
