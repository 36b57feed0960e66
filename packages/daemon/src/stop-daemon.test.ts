import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Home } from "@fairlead/runtime/home";
import { expect, it } from "vitest";
import type { DaemonInfo } from "./daemon-info.ts";
import { findUnreachableDaemon } from "./find-daemon.ts";
import { killDaemon, terminateDaemon } from "./stop-daemon.ts";

/**
 * A process that holds the daemon's lock and does not listen, as a daemon that hangs while it shuts down. It writes its
 * own info file, and exits on SIGTERM only if told so.
 */
const program = `
  import { DatabaseSync } from "node:sqlite";
  import { writeFileSync } from "node:fs";
  import { currentOwner } from "@fairlead/engine";
  const [, folder, stopping, signal] = process.argv;
  const lock = new DatabaseSync(folder + "/lock");
  lock.exec("BEGIN EXCLUSIVE");
  process.on("SIGTERM", () => signal === "exit" && process.exit());
  const info = { pid: process.pid, owner: currentOwner(), ...(stopping === "stopping" && { stopping: true }) };
  writeFileSync(folder + "/info.json", JSON.stringify(info));
  console.log("ready");
  setInterval(() => lock, 1000);
`;

async function startHangingDaemon(home: Home, ...words: string[]): Promise<ChildProcess> {
  mkdirSync(home.daemonFolder, { recursive: true });
  const args = ["--input-type=module", "--eval", program, home.daemonFolder, ...words];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname, // so that the package resolves
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

async function endOf(child: ChildProcess): Promise<unknown> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.signalCode ?? child.exitCode;
}

it(
  "terminates a daemon that runs without its socket, and kills it if it does not exit",
  { timeout: 90_000 },
  async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
    const home = new Home(folder.path);
    const obeying = await startHangingDaemon(home, "running", "exit");
    const found = await findUnreachableDaemon(home);
    expect(found).toMatchObject({ pid: obeying.pid });
    await terminateDaemon(home, found!);
    expect(await endOf(obeying)).toBe(0);

    const hanging = await startHangingDaemon(home, "stopping", "ignore");
    const stopping = await findUnreachableDaemon(home);
    expect(stopping).toMatchObject({ pid: hanging.pid, stopping: true });
    await terminateDaemon(home, stopping!, 100);
    expect(await endOf(hanging)).toBe("SIGKILL");
    expect(existsSync(home.daemonInfoFile)).toBe(true); // as after any kill
    expect(await findUnreachableDaemon(home)).toBeNull();
  },
);

it("does not kill another process that has the pid of a daemon", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
  const home = new Home(folder.path);
  const innocent = spawn("sleep", ["30"]);
  await once(innocent, "spawn");
  const owner = JSON.stringify({ host: hostname(), pid: innocent.pid, startTime: 1, bootId: "earlier" });
  const info = { pid: innocent.pid, owner };
  mkdirSync(home.daemonFolder, { recursive: true });
  writeFileSync(home.daemonInfoFile, JSON.stringify(info));
  expect(await findUnreachableDaemon(home)).toBeNull();
  await killDaemon(home, info as DaemonInfo);
  expect(innocent.signalCode).toBeNull();
  const legacyInfo = { pid: innocent.pid } as DaemonInfo; // an earlier version wrote it, and no process has the lock
  await killDaemon(home, legacyInfo);
  expect(innocent.exitCode ?? innocent.signalCode).toBeNull();
  innocent.kill();
  expect(await endOf(innocent)).toBe("SIGTERM");
});
