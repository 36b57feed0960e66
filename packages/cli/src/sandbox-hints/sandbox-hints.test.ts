import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFailureExplainer } from "./explain-failure.ts";
import { explainPath, type OutsidePath } from "./explain-path.ts";
import { findFailedPaths, type PathProblem } from "./find-failed-paths.ts";

describe("findFailedPaths", () => {
  test.each<[output: string, paths: string[], problem: PathProblem]>([
    ["ls: cannot access '/h/.ssh': No such file or directory", ["/h/.ssh"], "missing"],
    ["cat: /h/a file: No such file or directory", ["/h/a"], "missing"],
    ['open "/h/a file": no such file', ["/h/a file"], "missing"],
    ["Error: ENOENT: no such file or directory, open '~/.npmrc'", ["~/.npmrc"], "missing"],
    ["bash: ../other/run.sh: No such file or directory", ["../other/run.sh"], "missing"],
    ["touch: cannot touch '/usr/x': Read-only file system", ["/usr/x"], "read-only"],
    ["Error: EROFS: read-only file system, mkdir '/h/.npm'", ["/h/.npm"], "read-only"],
    ["error: could not write config file .git/config: Device or resource busy", [".git/config"], "read-only"],
    ["/usr/bin/bash: line 1: /h/x: Read-only file system", ["/h/x"], "read-only"],
    ["/h/x: No such file or directory", ["/h/x"], "missing"],
    ["cat: /etc/shadow: Permission denied", ["/etc/shadow"], "denied"],
    ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", ["/var/run/docker.sock"], "missing"],
    ["git@host: Permission denied (publickey).", ["~/.ssh"], "missing"],
    [
      "fatal: could not read Username for 'https://host'",
      ["~/.config/gh", "~/.git-credentials", "~/.netrc"],
      "missing",
    ],
    ["npm error code E401", ["~/.npmrc"], "missing"],
  ])("finds in %j the paths %j", (output, paths, problem) => {
    expect(findFailedPaths(output)).toEqual(paths.map((path) => ({ path, problem })));
  });

  test.each([
    "/h/.ssh exists",
    "/usr/bin/bash: line 1: missing-command: command not found",
    "404 not found: https://host/a/b",
    "a/b: No such file",
    "",
    "No such file or directory",
  ])("finds nothing in %j", (output) => expect(findFailedPaths(output)).toEqual([]));

  test("finds few paths, and none that is too long", () => {
    const line = (path: string): string => `cat: ${path}: No such file or directory\n`;
    expect(findFailedPaths(Array.from({ length: 100 }, (_, index) => line(`/p/${index}`)).join(""))).toHaveLength(5);
    expect(findFailedPaths(line(`/${"p".repeat(400)}`))).toEqual([]);
  });

  test.each(["ENOENT '/", "ENOENT /", "ENOENT unix://", "'/a ENOENT\n"])("takes linear time for %j", (piece) => {
    expect(measureGrowthExponent((size) => findFailedPaths(piece.repeat(size)), 20_000)).toBeLessThan(1.5);
  });
});

describe("explainPath", () => {
  const disk: Readonly<Record<string, OutsidePath>> = {
    "/h": { kind: "folder", isReadable: true, isWritable: true },
    "/h/.ssh": { kind: "folder", isReadable: true, isWritable: true },
    "/etc/shadow": { kind: "file", isReadable: false, isWritable: false },
    "/run/db": { kind: "socket", isReadable: true, isWritable: true },
    "/usr": { kind: "folder", isReadable: true, isWritable: false },
    "/w/f": { kind: "file", isReadable: true, isWritable: true },
    "/w/.git": { kind: "folder", isReadable: true, isWritable: true },
    "/w/.git/config": { kind: "file", isReadable: true, isWritable: true },
  };
  const explain = (path: string, problem: PathProblem, extra: object = {}): unknown =>
    explainPath(path, problem, {
      workspace: "/w",
      isWorkspaceReadOnly: false,
      look: (one) => ({ ...disk, ...extra })[one] ?? null,
    })?.reason ?? null;

  test.each<[path: string, problem: PathProblem, reason: string | null]>([
    ["/h/.ssh", "missing", "hidden"],
    ["/h/.ssh", "denied", "hidden"],
    ["/h/absent", "missing", null],
    ["/etc/shadow", "denied", null],
    ["/run/db", "missing", "hidden-socket"],
    ["/w/f", "missing", null],
    ["/h/new", "read-only", "read-only"],
    ["/absent/new", "read-only", null],
    ["/usr/x", "read-only", null],
    ["/w/f", "read-only", null],
    ["/w/.git/index.lock", "read-only", "git-without-hooks"],
  ])("%s (%s) is %s", (path, problem, reason) => expect(explain(path, problem)).toBe(reason));

  test("a git folder with hooks protects only what makes git run programs", () => {
    const hooks = { "/w/.git/hooks": { kind: "folder", isReadable: true, isWritable: true } };
    expect(explain("/w/.git/config.lock", "read-only", hooks)).toBe("protected");
    // Then commits are not allowed, or were not when the session started.
    expect(explain("/w/.git/index.lock", "read-only", hooks)).toBe("git-read-only");
  });

  test("the git folder of a worktree is explained like one in the workspace, and another is not", () => {
    const folder: OutsidePath = { kind: "folder", isReadable: true, isWritable: true };
    const repository = { "/r/.git": folder, "/r/.git/hooks": folder, "/r/.git/config": folder };
    const worktree = { ...repository, "/w/.git": { ...folder, kind: "file" } };
    expect(explain("/r/.git/config", "read-only", worktree)).toBe("protected");
    expect(explain("/r/.git/index.lock", "read-only", worktree)).toBe("git-read-only");
    expect(explain("/r/.git/config", "read-only", repository)).toBe("read-only");
  });
});

describe("the explanation of a failed call", () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "hints-")));
    for (const folder of ["home/.ssh", "workspace"]) mkdirSync(join(root, folder), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const explain = (output: string, kind: "bwrap" | "none" = "bwrap", workspace: "write" | "read" = "write") =>
    createFailureExplainer({
      view: { workspace: join(root, "workspace"), sandbox: { kind, workspace, network: "open" } },
      configFile: join(root, "home/.fairlead/config.yaml"),
      userHome: join(root, "home"),
    })(output);

  test("names a hidden path and how to open it, and nothing without a sandbox", () => {
    const output = `ls: ${root}/home/.ssh: No such file or directory`;
    expect(explain(output)).toEqual([
      "The sandbox hides ~/.ssh. If agents here may read it, list it under shows in ~/.fairlead/config.yaml, for new sessions.",
    ]);
    expect(explain(output, "none")).toEqual([]);
    expect(explain(`ls: ${root}/home/.aws: No such file or directory`)).toEqual([]);
  });

  test("names a socket, a folder that is read-only, and a workspace that is", async () => {
    await using server = createServer().listen(join(root, "s"));
    await once(server, "listening");
    expect(explain(`connect ENOENT ${root}/s`)).toEqual([expect.stringContaining("--sandbox none")]);
    expect(explain(`mkdir '${root}/home/x': Read-only file system`)).toEqual([expect.stringContaining("under writes")]);
    expect(explain(`mkdir '${root}/workspace/x': Read-only file system`, "bwrap", "read")).toEqual([
      "The workspace of this session is read-only.",
    ]);
  });

  test("does not follow a link, and gives at most two hints", () => {
    symlinkSync("/absent", join(root, "home/link"));
    for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), "");
    expect(explain(`cat: ${root}/home/link: No such file`)).toHaveLength(1);
    expect(explain(["a", "b", "c"].map((name) => `cat: ${root}/${name}: No such file`).join("\n"))).toHaveLength(2);
  });
});
