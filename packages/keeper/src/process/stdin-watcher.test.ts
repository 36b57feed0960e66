import { noSandbox } from "../sandbox/no-sandbox.ts";
import { describe, expect, test } from "vitest";
import type { Containment } from "./containment.ts";
import { DescendantsProcess } from "./descendants-process.ts";
import type { ContainedProcess, LaunchSpec } from "./contained-process.ts";
import { StdinWatcher } from "./stdin-watcher.ts";
import { systemClock } from "../keeper-clock.ts";
import { Keeper } from "../keeper.ts";
import { NamespaceProcess } from "./namespace-process.ts";
import { readProcessStatus } from "./process-identity.ts";
import { listProcesses } from "./kill-process-tree.ts";
import { ManualClock } from "@fairlead/testing/keeper/manual-clock.ts";
import { TestSessionFolder, shellCommand, until } from "@fairlead/testing/keeper/test-session-folder.ts";

const bubblewrap = "/usr/bin/bwrap";
const containments: readonly Containment[] = [{ kind: "namespace", program: bubblewrap }, { kind: "descendants" }];
const idleLoop = "while :; do sleep 0.02; done";

/** Runs an agent script for a test. The scripts print `ready` and close their stdin on SIGUSR1. */
class TestContainedAgent implements AsyncDisposable {
  readonly contained: ContainedProcess;
  out = "";

  constructor(kind: Containment["kind"], script: string) {
    const command = shellCommand(script);
    const network = { clock: systemClock, onVerdict: () => {} };
    const { env } = command;
    const launch: LaunchSpec = { command, env, envMarkers: [], sandbox: noSandbox, network, terminal: null };
    this.contained = kind === "namespace" ? new NamespaceProcess(bubblewrap, launch) : new DescendantsProcess(launch);
    this.contained.child.stdin?.on("error", () => {});
    this.contained.child.stdout?.on("data", (chunk: Buffer) => (this.out += chunk.toString()));
  }

  write(text: string): void {
    const { stdin } = this.contained.child;
    if (stdin?.writable === true) stdin.write(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.contained.kill();
  }
}

const stdinClosings = (session: TestSessionFolder) =>
  session.records().filter((record) => record.kind === "stdin-closed");

describe.each(containments)("with containment $kind, an agent", (containment) => {
  test("that closes its stdin while it is alive is recorded once", async () => {
    using session = new TestSessionFolder();
    const clock = new ManualClock();
    await using keeper = new Keeper(session.folder, { containment, clock });
    keeper.handle({ do: "launch", id: "l", command: shellCommand("exec <&-; echo closed; exec sleep 100") });
    await until(() => session.text("out") === "closed\n");
    keeper.handle({ do: "write", id: "1", text: "first\n" });
    await until(() => {
      clock.advance(500);
      return stdinClosings(session).length > 0;
    });
    expect(stdinClosings(session)).toMatchObject([{ process: 1, id: "", bytes: Buffer.alloc(0) }]);
    keeper.handle({ do: "write", id: "2", text: "second\n" });
    clock.advance(600_000);
    keeper.handle({ do: "kill", id: "k" });
    await session.exit(1);
    expect(stdinClosings(session)).toHaveLength(1);
  });

  test("whose stdin the keeper closes is not recorded as closing it itself", async () => {
    using session = new TestSessionFolder();
    const clock = new ManualClock();
    await using keeper = new Keeper(session.folder, { containment, clock });
    keeper.handle({ do: "launch", id: "l", command: shellCommand("cat; exec <&-; echo closed; exec sleep 100") });
    keeper.handle({ do: "write", id: "s", text: "go\n" });
    keeper.handle({ do: "close-stdin", id: "h" });
    await until(() => session.text("out") === "go\nclosed\n");
    clock.advance(600_000);
    expect(stdinClosings(session).map(({ id }) => id)).toEqual(["h"]);
  });

  test.each([
    ["does not read its stdin", `trap "exec <&-" USR1; echo ready; ${idleLoop}`],
    ["has moved its stdin to another descriptor", `exec 7<&0 <&-; trap "exec 7<&-" USR1; echo ready; ${idleLoop}`],
    [
      "has passed its stdin to a child",
      `exec 7<&0; sleep 100 <&7 7<&- & exec <&- 7<&-; trap "kill $!" USR1; echo ready; ${idleLoop}`,
    ],
  ])("that %s has its stdin open until no process has it", async (_, script) => {
    await using agent = new TestContainedAgent(containment.kind, script);
    await until(() => agent.out === "ready\n");
    agent.write("x".repeat(1_000_000));
    const checks: boolean[] = [];
    const closed = Promise.withResolvers<void>();
    const isClosed = (): boolean => {
      checks.push(agent.contained.isStdinClosed());
      return checks.at(-1) ?? false;
    };
    using watcher = new StdinWatcher({ isClosed, onClosed: closed.resolve, minIntervalMs: 5 });
    watcher.notifyWrite();
    await until(() => checks.length >= 6);
    expect(checks).not.toContain(true);
    agent.contained.signal("SIGUSR1");
    await until(() => {
      agent.write("input\n");
      watcher.notifyWrite();
      return checks.at(-1) === true;
    });
    await closed.promise;
    expect(checks.slice(-2)).toEqual([true, true]);
  });
});

describe("an agent that has closed its stdin and has ended no longer counts as having closed it", () => {
  const script = `exec <&-; echo ready; ${idleLoop}`;

  test("with containment descendants, although its pipe stays broken", async () => {
    await using agent = new TestContainedAgent("descendants", script);
    await until(() => agent.out === "ready\n");
    agent.write("input");
    await until(() => agent.contained.isStdinClosed());
    agent.contained.signal("SIGKILL");
    await until(() => agent.contained.child.signalCode !== null);
    expect(agent.contained.isStdinClosed()).toBe(false);
  });

  test("with containment namespace, although bubblewrap has not noticed the end yet", async () => {
    await using agent = new TestContainedAgent("namespace", script);
    await until(() => agent.out === "ready\n");
    expect(agent.contained.isStdinClosed()).toBe(true);
    const [init] = listProcesses().filter(({ parent }) => parent === agent.contained.child.pid);
    const [shell] = listProcesses().filter(({ parent }) => parent === init!.pid);
    process.kill(init!.pid, "SIGSTOP");
    await until(() => readProcessStatus(init!.pid)?.state === "T");
    process.kill(shell!.pid, "SIGKILL");
    await until(() => readProcessStatus(shell!.pid)?.state === "Z");
    expect(agent.contained.isStdinClosed()).toBe(false);
    process.kill(init!.pid, "SIGCONT");
  });
});

describe("StdinWatcher", () => {
  /** Starts a watcher whose checks return these results, then false, and collects the times of the checks. */
  const watch = (results: boolean[]) => {
    const clock = new ManualClock();
    const startedAt = clock.now();
    const log = { checkTimes: [] as number[], closings: 0 };
    const isClosed = (): boolean => {
      log.checkTimes.push(clock.now() - startedAt);
      return results.shift() ?? false;
    };
    const watcher = new StdinWatcher({ isClosed, onClosed: () => (log.closings += 1), minIntervalMs: 20, clock });
    return { clock, log, watcher };
  };

  test("does not check without a write, and checks at most once per interval with many writes", () => {
    const { clock, log, watcher } = watch([]);
    using _ = watcher;
    clock.advance(1000);
    expect(log.checkTimes).toEqual([]);
    for (let elapsed = 0; elapsed < 200; elapsed++) {
      for (let count = 0; count < 10; count++) watcher.notifyWrite();
      clock.advance(1);
    }
    expect(log.checkTimes).toEqual([20, 40, 60, 80, 100, 120, 140, 160, 180, 200].map((time) => 1000 + time));
  });

  test("doubles the interval after each check, up to 5 minutes", () => {
    const { clock, log, watcher } = watch([]);
    using _ = watcher;
    watcher.notifyWrite();
    clock.advance(24 * 3600 * 1000);
    expect(log.checkTimes.slice(0, 5)).toEqual([20, 60, 140, 300, 620]);
    const intervals = log.checkTimes.slice(1).map((time, index) => time - (log.checkTimes[index] ?? 0));
    expect(intervals.at(-1)).toBe(20 * 2 ** 13);
  });

  test("reports a closed stdin once, after two consecutive checks", () => {
    const { clock, log, watcher } = watch([true, false, true, true, true]);
    using _ = watcher;
    watcher.notifyWrite();
    clock.advance(1000);
    expect([log.checkTimes.length, log.closings]).toEqual([4, 1]);
    watcher.notifyWrite();
    clock.advance(1000);
    expect([log.checkTimes.length, log.closings]).toEqual([4, 1]);
  });
});
