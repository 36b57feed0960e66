import { spawn } from "node:child_process";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { RemoteFairlead } from "@fairlead/client";
import { Home } from "@fairlead/runtime/home";
import { expect, it, vi } from "vitest";
import { readDaemonInfo } from "./daemon-info.ts";
import { findDaemon } from "./find-daemon.ts";
import { stopDaemon } from "./stop-daemon.ts";

// The test starts four processes, two of them daemons.
vi.setConfig({ testTimeout: 90_000 });

const program = `
  import { connect } from "@fairlead/daemon";
  const fairlead = await connect();
  console.log(JSON.stringify(await fairlead.health()));
`;

type Health = Awaited<ReturnType<RemoteFairlead["health"]>>;

/** Runs a program that connects, prints the daemon's health and must then exit. */
async function runProgram(home: Home): Promise<Health> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname, // so that the package resolves
    env: { PATH, HOME, FAIRLEAD_HOME: home.folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(await text(child.stdout)) as Health;
}

it("starts a daemon if none runs, connects to a running one, and restarts a killed one", async () => {
  // A short path, because it contains a Unix socket.
  using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
  const home = new Home(join(folder.path, "h"));
  await using stack = new AsyncDisposableStack();
  expect(await findDaemon(home)).toBeNull();

  const first = await runProgram(home);
  stack.defer(() => stopDaemon(home));
  expect(first).toMatchObject({ status: "ok", api: "fairlead/1", journal: { bytesDiscarded: 0 } });
  expect(readDaemonInfo(home.daemonInfoFile)?.pid).toBe(first.pid);
  expect((await runProgram(home)).pid).toBe(first.pid);

  process.kill(first.pid, "SIGKILL");
  await vi.waitFor(async () => expect(await findDaemon(home)).toBeNull(), { timeout: 10_000 });
  expect((await runProgram(home)).pid).not.toBe(first.pid);
});
