import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@fairlead/contract";
import { shellCommand, TestSessionFolder } from "@fairlead/testing/keeper/test-session-folder.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Keeper } from "../keeper.ts";
import { findSandboxProblem } from "./find-sandbox-problem.ts";
import { noSandbox } from "./no-sandbox.ts";

let root: string;
let home: string;
let workspace: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-")));
  [home, workspace] = [join(root, "home"), join(root, "workspace")];
  for (const folder of [home, workspace, join(home, ".ssh"), join(home, ".agent")]) mkdirSync(folder);
  writeFileSync(join(home, ".ssh/key"), "secret");
  writeFileSync(join(home, ".netrc"), "secret");
  writeFileSync(join(home, "notes"), "notes");
});
afterEach(() => rmSync(root, { recursive: true }));

const closed = (): Sandbox => ({
  ...noSandbox,
  kind: "bwrap",
  writes: [join(home, ".agent")],
  hides: [join(home, ".ssh"), join(home, ".netrc")],
  network: "none",
});

/** Runs a shell script in the workspace and returns its output. */
async function run(
  script: string,
  sandbox: Sandbox = closed(),
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, ...variables };
  keeper.handle({ do: "launch", id: "l", command: shellCommand(script, { cwd: workspace, env }), sandbox });
  await session.exit(1);
  return `${session.text("out")}${session.text("err")}`;
}

test("the machine that runs these tests supports the sandbox", async () => {
  expect(await findSandboxProblem()).toBeNull();
  // The trial needs no program of the PATH.
  vi.stubEnv("PATH", "/absent");
  expect(await findSandboxProblem()).toBeNull();
  vi.unstubAllEnvs();
  expect(await findSandboxProblem(["/absent/bwrap"])).toBe("bubblewrap is not installed.");
  expect(await findSandboxProblem(["false"])).toMatch(/^bubblewrap fails: /);
});

/** A program that acts as bubblewrap, after another process has replaced a folder, and before it is mounted. */
function replacingBwrap(command = ":"): string {
  const file = join(root, "bwrap");
  const lines = ["#!/bin/sh", 'case "$*" in *--block-fd*)', `${command};;`, "esac", 'exec /usr/bin/bwrap "$@"'];
  writeFileSync(file, lines.join("\n"), { mode: 0o755 });
  return file;
}

describe.each(["open", "gate"] as const)(
  "a folder that is replaced by a link during a launch, network %s",
  (network) => {
    const launch = async (program: string, isPrepared: boolean): Promise<string> => {
      using session = new TestSessionFolder();
      await using keeper = new Keeper(session.folder, { containment: { kind: "namespace", program } });
      if (isPrepared) await keeper.prepareGate();
      const env = { PATH: process.env["PATH"] ?? "", HOME: home };
      const gate = { hosts: [], refusedHosts: [], services: [], forwards: [] };
      const sandbox: Sandbox = { ...closed(), network, ...(network === "gate" && { gate }) };
      keeper.handle({
        do: "launch",
        id: "l",
        command: shellCommand("ls; ls ~/.agent", { cwd: workspace, env }),
        sandbox,
      });
      const { error = "" } = await session.exit(1);
      return `${session.text("out")}${error}`;
    };

    test.each([false, true])("is not mounted, and the agent does not start (prepared: %s)", async (isPrepared) => {
      writeFileSync(join(workspace, "mine"), "");
      expect(await launch(replacingBwrap(), isPrepared)).toBe("mine\n");
      const replaceWorkspace = `mv ${workspace} ${workspace}2; ln -s ${home}/.ssh ${workspace}`;
      expect(await launch(replacingBwrap(replaceWorkspace), isPrepared)).toMatch(
        /not started: \S+workspace was replaced/,
      );
      rmSync(workspace);
      renameSync(`${workspace}2`, workspace);
      const replaceOwn = `mv ${home}/.agent ${home}/.agent2; ln -s .ssh ${home}/.agent`;
      expect(await launch(replacingBwrap(replaceOwn), isPrepared)).toMatch(/not started: \S+\.agent was replaced/);
    });
  },
);

describe("an agent in a sandbox", () => {
  test("sees of the home only its own folders and tools, and writes only where it may", async () => {
    writeFileSync(join(home, ".gitconfig"), "[user]\nname = user\n");
    expect(await run("ls -A ~; cat ~/.ssh/key ~/.netrc ~/notes 2> /dev/null; git config user.name")).toBe(
      ".agent\n.gitconfig\nuser\n",
    );
    rmSync(join(home, ".gitconfig"));
    const writes =
      "for f in /x /etc/x /usr/x; do echo x > $f; done; for f in ~/x ~/.agent/x x /tmp/x /var/tmp/x; do echo x > $f; done";
    expect((await run(writes)).match(/Read-only file system/g)).toHaveLength(3);
    expect([readdirSync(home), readdirSync(join(home, ".ssh"))]).toEqual([
      [".agent", ".netrc", ".ssh", "notes"],
      ["key"],
    ]);
    expect([readdirSync(join(home, ".agent")), readdirSync(workspace)]).toEqual([["x"], ["x"]]);
    expect(existsSync("/tmp/x")).toBe(false);
  });

  test("has a folder for temporary files that it can write, whatever the user's is", async () => {
    const script = "echo $TMPDIR; echo x > $TMPDIR/x && cat $TMPDIR/x";
    expect(await run(script, closed(), { TMPDIR: join(home, "tmp") })).toBe("/tmp\nx\n");
  });

  test("leaves no trace of the mounts, where nothing was", async () => {
    const sandbox = {
      ...closed(),
      hides: [join(home, ".aws"), join(home, ".agent/gh")],
      protects: [join(workspace, ".mcp.json")],
    };
    await run("true", sandbox);
    expect([readdirSync(home), readdirSync(workspace)]).toEqual([[".agent", ".netrc", ".ssh", "notes"], []]);
  });

  test("has no privileges and sees no process outside", async () => {
    const outside = spawn("sleep", ["100"]);
    const output = await run(`id -u; grep CapEff /proc/self/status; kill ${outside.pid}; ls /proc | grep -c '^[0-9]'`);
    expect(output).toMatch(/CapEff:\t0+\n/);
    if (process.getuid?.() === 0) expect(output).toMatch(/^1000\n/);
    expect(outside.exitCode ?? outside.signalCode).toBeNull();
    outside.kill();
    await once(outside, "exit");
  });

  test("reaches neither loopback nor a socket of another program", async () => {
    const port = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1");
    const socket = createServer((client) => client.end("reached")).listen(join(home, ".agent/control.sock"));
    await Promise.all([once(port, "listening"), once(socket, "listening")]);
    const { port: number } = port.address() as { port: number };
    const connect = (target: string): string =>
      `node -e 'require("net").connect(${target}).on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))'`;
    const script = `${connect(String(number))}; ${connect(JSON.stringify(join(home, ".agent/control.sock")))}`;
    expect(await run(script)).not.toContain("reached");
    expect(await run(script, noSandbox)).toBe("reached\nreached\n");
    port.close();
    socket.close();
  });

  test("sees a file that has the path of a socket elsewhere", async () => {
    const path = join(workspace, "file");
    const socket = createServer().listen(path);
    await once(socket, "listening");
    // The kernel still lists the path, as it lists those of sockets in other sandboxes.
    rmSync(path);
    writeFileSync(path, "content");
    expect(await run("cat file")).toBe("content");
    socket.close();
  });

  test("cannot change what is protected, nor move it away", async () => {
    const git = join(workspace, ".git");
    for (const folder of [git, join(git, "hooks")]) mkdirSync(folder);
    writeFileSync(join(git, "config"), "[core]\n");
    const sandbox = { ...closed(), writes: [git], protects: [join(git, "config"), join(git, "hooks")] };
    const script = "echo x >> .git/config; echo x > .git/hooks/x; mv .git y; rm -rf .git; echo x > .git/index; ls .git";
    expect(await run(script, sandbox)).toMatch(/^config\nhooks\nindex\n[^]*Read-only[^]*Read-only[^]*busy/);
    expect(readdirSync(join(git, "hooks"))).toEqual([]);
  });

  test("cannot replace the link of a submodule to its git folder, nor move the submodule", async () => {
    const modules = join(workspace, ".git/modules");
    for (const folder of [join(modules, "a"), join(workspace, "libs/a")]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(modules, "a/config"), "[core]\n\tworktree = ../../../libs/a\n");
    writeFileSync(join(workspace, "libs/a/.git"), "gitdir: ../../.git/modules/a\n");
    const script =
      "rm -f libs/a/.git; echo x > libs/a/.git; mv libs/a x; mv libs x; echo x > libs/a/file; cat libs/a/.git";
    const output = await run(script, { ...closed(), protects: [modules] });
    expect(output).toMatch(/^gitdir: \.\.\/\.\.\/\.git\/modules\/a\n[^]*busy[^]*Read-only[^]*busy[^]*busy/);
    expect(existsSync(join(workspace, "libs/a/file"))).toBe(true);
  });

  test("cannot change a repository that the user created after the session started, nor what its configuration names", async () => {
    const git = (...args: string[]): unknown => execFileSync("git", ["-C", workspace, ...args]);
    const script =
      "git config a.b c; echo x > .git/hooks/x; mv .git y; echo x > tools/hooks/x; mv tools y; echo x > shared; git add shared; ls -A";
    git("init", "--quiet");
    mkdirSync(join(workspace, "tools/hooks"), { recursive: true });
    writeFileSync(join(workspace, "shared"), "");
    git("config", "core.hooksPath", "tools/hooks");
    git("config", "include.path", "../shared");
    const before = readFileSync(join(workspace, ".git/config"), "utf8");
    expect(await run(script)).toMatch(
      /^\.git\nshared\ntools\n[^]*hooks\/x: Read-only[^]*busy[^]*Read-only[^]*busy[^]*Read-only/,
    );
    expect(readFileSync(join(workspace, ".git/config"), "utf8")).toBe(before);
    expect(existsSync(join(workspace, ".git/index"))).toBe(true);
    rmSync(join(workspace, ".git/hooks"), { recursive: true });
    expect(await run("mkdir .git/hooks")).toContain("Read-only");
  });

  test("cannot replace a folder with a protected file in it", async () => {
    mkdirSync(join(workspace, ".editor"));
    writeFileSync(join(workspace, ".editor/tasks.json"), "{}");
    const sandbox = { ...closed(), protects: [join(workspace, ".editor/tasks.json")] };
    const script = "mv .editor x; mkdir -p .editor; echo planted > .editor/tasks.json; echo x > .editor/other";
    expect(await run(script, sandbox)).toMatch(/busy[^]*Read-only/);
    expect(readdirSync(workspace)).toEqual([".editor"]);
    expect(readFileSync(join(workspace, ".editor/tasks.json"), "utf8")).toBe("{}");
    expect(existsSync(join(workspace, ".editor/other"))).toBe(true);
  });

  test.runIf(process.arch === "x64" || process.arch === "arm64")(
    "uses no keyring, and types into no terminal",
    async () => {
      const [keyctl, socket] = process.arch === "x64" ? [250, 41] : [219, 198];
      const script = `perl -e '
      my @results = map { syscall($$_[0], @$_[1 .. 3]) < 0 ? $! + 0 : 0 } ([${keyctl}, 0, -3, 0], [${socket}, 40, 1, 0], [${socket}, 1, 1, 0]);
      my $text = "x"; push @results, ioctl(STDIN, 0x5412, $text) ? 0 : $! + 0;
      print "@results"'`;
      expect(await run(script)).toBe("1 1 0 1");
      expect(await run(script, noSandbox)).toMatch(/^0 \d+ 0 \d+$/);
    },
  );

  test("an agent that nests can use namespaces of users, and none of control groups; another can use none", async () => {
    const nested = "bwrap --unshare-user --unshare-pid --ro-bind / / --dev /dev --tmpfs /tmp -- echo nested";
    const script = `${nested}; unshare -Ur id -u; unshare -UrC true || echo refused; node -p 1+1`;
    const commit = "git init -q && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m m && echo committed";
    const nests = { ...closed(), nests: true };
    expect(await run(`${script}; ${commit}`, nests)).toMatch(/^nested\n0\nrefused\n2\ncommitted\n/);
    rmSync(join(workspace, ".git"), { recursive: true });
    expect(await run(`${script}; ${commit}`)).toMatch(/^refused\n2\ncommitted\n/);
  });

  test.runIf(process.arch === "x64" || process.arch === "arm64")(
    "cannot move a protected file by leaving the mounts that pin it",
    async () => {
      const file = join(workspace, ".envrc");
      writeFileSync(file, "protected");
      const [unshare, mount, pivot, umount] = process.arch === "x64" ? [272, 165, 155, 166] : [97, 40, 41, 39];
      // A new root, and the workspace through a folder that was opened before.
      const script = `perl -e '
        opendir(my $d, "."); mkdir "/tmp/n";
        syscall(${unshare}, 0x10020000); syscall(${mount}, my $a = "x", my $b = "/tmp/n", my $c = "tmpfs", 0, 0);
        chdir "/tmp/n"; syscall(${pivot}, my $e = ".", my $f = "."); syscall(${umount}, my $g = ".", 2);
        chdir $d; print rename(".envrc", "moved") ? "moved" : "kept"'`;
      const protecting = { ...closed(), protects: [file] };
      expect(await run(script, protecting)).toBe("kept");
      expect(await run(script, { ...protecting, nests: true })).toBe("moved"); // control
    },
  );

  test("does not get another folder than the workspace of its start, if that was replaced by a link", async () => {
    const sandbox = { ...closed(), workspaceFolder: workspace };
    expect(await run("pwd", sandbox)).toBe(`${workspace}\n`);
    rmSync(workspace, { recursive: true });
    const other = join(root, "other");
    mkdirSync(other);
    writeFileSync(join(other, "file"), "private");
    symlinkSync(other, workspace);
    expect(await run("cat file; touch written", sandbox)).not.toContain("private");
    expect(existsSync(join(other, "written"))).toBe(false);
    expect(await run("cat file", closed())).toBe("private"); // control: a link of the user
  });

  test("cannot change the kernel's settings, although root owns them", async () => {
    // It writes the value that is there: a write that succeeds must not change the machine.
    const script =
      'value=$(cat /proc/sys/kernel/core_pattern); echo "$value" > /proc/sys/kernel/core_pattern && echo written';
    expect(await run(script)).not.toContain("written");
  });

  test("finds what links of the user lead to", async () => {
    mkdirSync(join(root, "data/agent"), { recursive: true });
    writeFileSync(join(root, "data/settings"), "[user]\nname = user\n");
    symlinkSync(join(root, "data/settings"), join(home, ".gitconfig"));
    symlinkSync("../data/agent", join(home, ".linked"));
    symlinkSync(home, join(root, "home-link"));
    symlinkSync("workspace", join(root, "workspace-link"));
    const sandbox = { ...closed(), writes: [join(home, ".linked"), join(root, "data/agent")] };
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder);
    const env = { PATH: process.env["PATH"] ?? "", HOME: join(root, "home-link") };
    const script = "git config user.name; echo x > ~/.linked/x; echo x > file; ls -A ~/ ../data";
    const command = shellCommand(script, { cwd: join(root, "workspace-link"), env });
    keeper.handle({ do: "launch", id: "l", command, sandbox });
    await session.exit(1);
    expect(session.text("out")).toMatch(
      /^user\n[^]*data:\nagent\nsettings\n[^]*home-link\/:\n\.gitconfig\n\.linked\n$/,
    );
    expect([readdirSync(join(root, "data/agent")), readdirSync(workspace)]).toEqual([["x"], ["file"]]);
  });

  test("gains nothing by a link at a path that it may write", async () => {
    symlinkSync(join(home, ".ssh"), join(workspace, "out"));
    const sandbox = { ...closed(), writes: [join(workspace, "out")] };
    await run("cat out/key; echo x > out/x", sandbox);
    expect(await run("cat out/key", sandbox)).not.toContain("secret");
    expect(readdirSync(join(home, ".ssh"))).toEqual(["key"]);
  });
});

test("an agent does not start without the sandbox that its session states", async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder, { containment: { kind: "descendants" } });
  keeper.handle({ do: "launch", id: "l", command: shellCommand("echo ran"), sandbox: closed() });
  expect(await session.exit(1)).toMatchObject({ error: expect.stringContaining("sandbox is not available") });
  expect(session.text("out")).toBe("");
});
