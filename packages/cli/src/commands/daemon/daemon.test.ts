import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { Event } from "@fairlead/contract";
import { expect, it, vi } from "vitest";
import { Home } from "@fairlead/runtime/home";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { readDaemonInfo, type DaemonInfo } from "@fairlead/daemon";

// Each test starts a dozen processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

/** A script whose turn waits for an approval. */
const askingScript = 'SCRIPT:[{"tools":[{"name":"run","input":{"command":"echo done"}}]},{"text":"Over."}]';

function readInfo(cli: TestCli): DaemonInfo {
  const info = readDaemonInfo(new Home(cli.home).daemonInfoFile);
  if (info === null) throw new Error("No daemon is running.");
  return info;
}

function countStarts(cli: TestCli): number {
  return readFileSync(new Home(cli.home).daemonLogFile, "utf8").match(/"msg":"daemon started"/g)?.length ?? 0;
}

/** Starts a detached session and waits until it asks for approval. */
async function startAskingSession(cli: TestCli, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const { out } = await cli.run(["run", "scripted", "--detach", "--name", "asking", askingScript], "", environment);
  expect((await cli.run(["wait", "asking", "--for", "waiting"], "", environment)).code).toBe(0);
  return out.trim();
}

/** Approves, and expects one request and one answer in one turn of the same process. */
async function expectSessionContinues(cli: TestCli, id: string): Promise<void> {
  expect((await cli.run(["approve", id])).code).toBe(0);
  expect((await cli.run(["wait", id])).code).toBe(0);
  const types = (await cli.json<Event>("logs", id)).map(({ body }) => body.type);
  const count = (type: string): number => types.filter((one) => one === type).length;
  expect([count("turn.started"), count("decision.requested"), count("turn.ended")]).toEqual([1, 1, 1]);
  expect([count("session.resumed"), count("session.ended")]).toEqual([0, 0]);
}

it("starts once if several commands need it at the same time", async () => {
  await using cli = new TestCli();
  const results = await Promise.all(Array.from({ length: 10 }, () => cli.runProgram(["ls", "--json"])));
  expect(results).toEqual(results.map(() => ({ code: 0, out: "", err: "" })));
  expect(countStarts(cli)).toBe(1);
  const { code, err } = await cli.runProgram(["up", "--foreground"]);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("already running") });
});

it("stops without its sessions, and recovers them at its next start", async () => {
  await using cli = new TestCli();
  const id = await startAskingSession(cli);
  expect(await cli.run(["down"])).toMatchObject({ code: 0, out: expect.stringContaining("One session keeps running") });
  expect(existsSync(new Home(cli.home).daemonInfoFile)).toBe(false);
  expect(await cli.run(["status"])).toMatchObject({ code: 1, out: expect.stringContaining("is not running") });
  await expectSessionContinues(cli, id);
  expect((await cli.run(["down", "--stop-sessions"])).out).toBe("One session was stopped.\nThe daemon is stopped.\n");
});

it("is replaced if it is older than the command, and not if it is newer", async () => {
  await using cli = new TestCli();
  const id = await startAskingSession(cli, { FAIRLEAD_VERSION_FOR_TEST: "0.0.9" });
  const old = readInfo(cli);
  expect(old.version).toBe("0.0.9");
  await expectSessionContinues(cli, id);
  const replaced = readInfo(cli);
  expect(replaced).toMatchObject({ version: "0.1.0" });
  expect(replaced.pid).not.toBe(old.pid);
  expect((await cli.run(["ls"], "", { FAIRLEAD_VERSION_FOR_TEST: "0.0.9" })).code).toBe(0);
  expect(readInfo(cli)).toEqual(replaced);
});

it("is restarted by a command that follows a session, after it was killed", async () => {
  await using cli = new TestCli();
  const id = await startAskingSession(cli);
  const terminal = cli.terminal(["logs", "-f", id]);
  await terminal.waitForText("asks for approval");
  const { pid } = readInfo(cli);
  process.kill(pid, "SIGKILL");
  // The following command restarts it: no other command is running.
  await vi.waitFor(() => expect(readInfo(cli).pid).not.toBe(pid), { timeout: 30_000 });
  await expectSessionContinues(cli, id);
  await terminal.waitForText("Over.");
  await cli.run(["stop", id]);
  await terminal.waitForText("The session was stopped.");
  expect(await terminal.exitCode()).toBe(0);
  expect(terminal.screen.match(/asks for approval/g)).toHaveLength(1);
  expect(countStarts(cli)).toBe(2);
});

it("starts on a damaged journal, and reports the damage in the log, in `status` and in `doctor`", async () => {
  await using cli = new TestCli();
  const id = await startAskingSession(cli);
  await cli.run(["approve", id]);
  await cli.run(["wait", id]);
  await cli.run(["stop", id]);
  const { pid } = readInfo(cli);
  process.kill(pid, "SIGKILL");
  // A killed process that its parent has not waited for is a zombie.
  await vi.waitFor(() => expect(existsSync(`/proc/${pid}/exe`)).toBe(false));
  const { journalFile, daemonLogFile } = new Home(cli.home);
  const wal = readFileSync(`${journalFile}-wal`);
  wal[9]! ^= 4; // in the header: SQLite discards every commit that is only in this file
  writeFileSync(`${journalFile}-wal`, wal);
  rmSync(`${journalFile}-shm`);
  expect((await cli.run(["doctor", "scripted"])).out).toMatch(/^ {2}Journal +damaged: stored events were lost/m);
  expect((await cli.run(["status"])).out).toMatch(
    /^Journal: damaged: stored events were lost \(\d+ bytes discarded\)$/m,
  );
  expect(readFileSync(daemonLogFile, "utf8")).toContain('"msg":"journal damaged: acknowledged events were lost"');
});

it("is reported as unresponsive while suspended, and killed by `down` without its sessions", async () => {
  await using cli = new TestCli();
  const id = await startAskingSession(cli);
  const { pid } = readInfo(cli);
  process.kill(pid, "SIGSTOP");
  const unresponsive = { code: 1, err: expect.stringContaining(`The daemon (process ${pid}) does not respond`) };
  expect(await Promise.all([cli.run(["ls"]), cli.run(["status"])])).toMatchObject([unresponsive, unresponsive]);
  expect(await cli.run(["down"])).toMatchObject({ code: 0, out: expect.stringContaining("was killed") });
  await expectSessionContinues(cli, id);
  expect(readInfo(cli).pid).not.toBe(pid);
});

/** Suspends the keeper of a session until disposal. */
function freezeKeeper(cli: TestCli, id: string): Disposable {
  const pid = readKeeperPid(cli, id);
  process.kill(pid, "SIGSTOP");
  return { [Symbol.dispose]: () => process.kill(pid, "SIGCONT") };
}

function readKeeperPid(cli: TestCli, id: string): number {
  const { sessionsFolder } = new Home(cli.home);
  return (JSON.parse(readFileSync(join(sessionsFolder, id, "keeper.json"), "utf8")) as { pid: number }).pid;
}

/** Whether a process runs. One that its parent has not waited for has ended. */
function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}/exe`);
}

it("ends its process on `down` although a keeper does not respond, also if it was suspended before the start", async () => {
  await using cli = new TestCli();
  const id = await startAskingSession(cli);
  {
    using _frozen = freezeKeeper(cli, id);
    for (const round of ["suspended while it is followed", "suspended before the start"]) {
      expect((await cli.run(["up"])).code, round).toBe(0);
      const { pid } = readInfo(cli);
      expect(await cli.run(["down"]), round).toMatchObject({ code: 0, out: expect.stringContaining("is stopped") });
      expect(isRunning(pid), round).toBe(false);
      expect(existsSync(new Home(cli.home).daemonInfoFile), round).toBe(false);
    }
  }
  await expectSessionContinues(cli, id);
});

it("stops a session whose keeper does not respond, says that it was by force, and does not list it as a problem", async () => {
  await using cli = new TestCli();
  const id = await startAskingSession(cli);
  const killed = (await cli.run(["run", "scripted", "--detach", "--name", "killed", askingScript])).out.trim();
  freezeKeeper(cli, id);
  process.kill(readKeeperPid(cli, killed), "SIGKILL");
  const { code, out } = await cli.run(["stop", id]);
  expect([code, out]).toEqual([0, expect.stringContaining("ended without a record of how the agent exited")]);
  const log = (await cli.run(["logs", id])).out.replaceAll(/\s+/g, " ");
  expect(log).toContain("Fairlead ended the session by force, because its keeper did not respond.");
  expect(log).not.toContain("died");
  const status = (await cli.run(["status"])).out;
  expect(status).toContain("killed"); // no person asked for that end
  expect(status).not.toContain("asking");
}, 60_000);

it("restores its socket, its lock and its info file, and is found meanwhile", async () => {
  await using cli = new TestCli();
  expect((await cli.run(["up"])).code).toBe(0);
  const { pid } = readInfo(cli);
  const { daemonFolder, daemonSocket, daemonInfoFile, daemonLogFile } = new Home(cli.home);
  rmSync(daemonSocket);
  expect(await cli.run(["ls"])).toMatchObject({ code: 0 });
  rmSync(daemonFolder, { recursive: true });
  await vi.waitFor(() => expect(existsSync(daemonInfoFile) && existsSync(daemonSocket)).toBe(true), {
    timeout: 20_000,
  });
  expect(await cli.run(["status"])).toMatchObject({ code: 0, out: expect.stringContaining(`process ${pid}`) });
  expect((await cli.runProgram(["up", "--foreground"])).err).toContain("already running");
  expect(readFileSync(daemonLogFile, "utf8")).toMatch(/socket was removed[^]*lock was removed and taken again/);
  process.kill(pid, "SIGSTOP"); // so that it does not create the socket again
  rmSync(daemonSocket);
  expect(await cli.run(["status"])).toMatchObject({ code: 1, out: expect.stringContaining("socket") });
  process.kill(pid, "SIGCONT");
  expect(await cli.run(["down"])).toMatchObject({ code: 0, out: expect.stringContaining("The daemon is stopped.") });
  expect(isRunning(pid)).toBe(false);
});

it("refuses work that it cannot store, and ends with its agents when the data directory is removed", async () => {
  await using cli = new TestCli();
  const id = await startAskingSession(cli);
  const { pid } = readInfo(cli);
  const { journalFile, sessionsFolder } = new Home(cli.home);
  const keeper = JSON.parse(readFileSync(join(sessionsFolder, id, "keeper.json"), "utf8")) as { pid: number };
  renameSync(journalFile, `${journalFile}.away`);
  const removed = expect.stringContaining(`${journalFile} was removed`);
  const start = ["run", "scripted", "--detach", "hello"];
  expect(await cli.run(start)).toMatchObject({ code: 1, err: removed });
  expect(await cli.run(["approve", id])).toMatchObject({ code: 1, err: removed });
  expect((await cli.run(["status"])).out).toContain("was removed");
  renameSync(`${journalFile}.away`, journalFile);
  expect((await cli.run(["status"])).out).not.toContain("was removed");
  // The daemon may write a file into a folder that is being removed.
  rmSync(cli.home, { recursive: true, maxRetries: 5 });
  await vi.waitFor(() => expect([isRunning(pid), isRunning(keeper.pid)]).toEqual([false, false]), { timeout: 30_000 });
  expect(existsSync(cli.home)).toBe(false); // no process has created it again
});

it("logs no content of conversations and no variables", async () => {
  await using cli = new TestCli({ SOME_TOKEN: "sk-very-secret" });
  await cli.run(["run", "scripted", 'SCRIPT:[{"text":"swordfish"}]']);
  await cli.run(["run", "scripted", "--detach", "--name", "not a name", "swordfish"]);
  expect(readFileSync(new Home(cli.home).daemonLogFile, "utf8")).not.toMatch(/swordfish|sk-very-secret/);
});

it("is not started with FAIRLEAD_DAEMON=off", async () => {
  await using cli = new TestCli({ FAIRLEAD_DAEMON: "off" });
  const { code, out } = await cli.run(["run", "scripted", 'SCRIPT:[{"text":"Good day."}]']);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Good day.") });
  expect((await cli.run(["ls"])).out).toContain("paused");
  expect(existsSync(new Home(cli.home).daemonFolder)).toBe(false);
});

it("listens on a TCP port on request, only on loopback and only for tokens", async () => {
  await using cli = new TestCli();
  expect(await cli.run(["up", "--listen", "0.0.0.0:4747"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("only on 127.0.0.1"),
  });
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const usedAddress = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { code, err } = await cli.run(["up", "--listen", usedAddress]);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining(`Another process uses the address ${usedAddress}`),
  });
  other.close();
  const [info] = await cli.json<DaemonInfo>("up", "--listen", "127.0.0.1:0");
  expect((await fetch(`${info?.url}/v1/health`)).status).toBe(401);
  // The next daemon has no port, so pages in browsers would wait without saying for what.
  const reopen = `fairlead up --listen ${new URL(String(info?.url)).host}`;
  expect(await cli.run(["down"])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`connect again after:\n  ${reopen}`),
  });
  expect((await cli.run(["down"])).out).not.toContain("connect again");
});
