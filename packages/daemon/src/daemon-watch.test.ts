import { mkdirSync, mkdtempDisposableSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HomeProblem } from "@fairlead/runtime";
import { Home } from "@fairlead/runtime/home";
import { expect, it } from "vitest";
import { DaemonInfoFile } from "./daemon-info.ts";
import { tryLockFile } from "./daemon-lock.ts";
import { DaemonWatch, type DaemonWatchOptions } from "./daemon-watch.ts";

/** Records what the watch does. */
class Recorder {
  readonly calls: string[] = [];
  readonly home: Home;
  problem: HomeProblem | null = null;

  constructor(folder: string) {
    this.home = new Home(folder);
    mkdirSync(this.home.daemonFolder, { recursive: true });
  }

  get options(): DaemonWatchOptions {
    const record = (text: string) => () => void this.calls.push(text);
    const readProblem = (): HomeProblem | null => this.problem;
    return {
      home: this.home,
      fairlead: {
        get homeProblem() {
          return readProblem();
        },
        terminateKeepers: record("terminate keepers"),
      },
      service: { restoreSocket: async () => false },
      infoFile: new DaemonInfoFile(this.home.daemonInfoFile),
      log: { warn: (message) => this.calls.push(message), error: (message) => this.calls.push(message) },
      shutDown: (reason) => this.calls.push(`shut down: ${reason}`),
      exit: (code) => this.calls.push(`exit ${code}`),
    };
  }
}

it("shuts down if its lock was removed and another daemon has taken it", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
  const recorder = new Recorder(folder.path);
  using _lock = await tryLockFile(recorder.home.daemonLock);
  using watch = new DaemonWatch(recorder.options, 1e6);
  await watch.check();
  expect(recorder.calls).toEqual([]);
  rmSync(recorder.home.daemonLock);
  using _otherLock = await tryLockFile(recorder.home.daemonLock);
  await watch.check();
  expect(recorder.calls).toEqual([expect.stringContaining("another daemon has it"), "shut down: another daemon"]);
});

it("ends the process if the data directory is gone, and the agents only if it was removed", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
  const recorder = new Recorder(folder.path);
  using _lock = await tryLockFile(recorder.home.daemonLock);
  using watch = new DaemonWatch(recorder.options, 1e6);
  recorder.problem = { kind: "file-removed", message: "journal.db" };
  await watch.check();
  await watch.check();
  expect(recorder.calls).toEqual([expect.stringContaining("a database was removed")]); // reported once
  recorder.calls.length = 0;
  recorder.problem = { kind: "moved", message: "moved" };
  await watch.check();
  expect(recorder.calls).toEqual([expect.stringContaining("was moved"), "exit 1"]);
  recorder.calls.length = 0;
  recorder.problem = { kind: "removed", message: "removed" };
  await watch.check();
  expect(recorder.calls).toEqual([expect.stringContaining("was removed"), "terminate keepers", "exit 1"]);
});
