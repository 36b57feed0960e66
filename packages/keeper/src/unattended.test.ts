import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ManualClock } from "@fairlead/testing/keeper/manual-clock.ts";
import { TestKeeper } from "@fairlead/testing/keeper/test-keeper.ts";
import {
  findProcessesByWord,
  shellCommand,
  TestSessionFolder,
  until,
} from "@fairlead/testing/keeper/test-session-folder.ts";
import { describe, expect, test, vi } from "vitest";
import { Keeper } from "./keeper.ts";
import type { KeeperDeadlines } from "./keeper-deadlines.ts";
import type { Containment } from "./process/containment.ts";
import { readProcessIdentity, readProcessStatus } from "./process/process-identity.ts";
import { connectKeeper } from "./protocol/connect-keeper.ts";
import { startKeeper } from "./start-keeper.ts";

const containments: readonly Containment[] = [
  { kind: "namespace", program: "/usr/bin/bwrap" },
  { kind: "descendants" },
];
const unattended = { freezeMs: 12_000, endMs: 18_000 };

/** An agent that ignores SIGTERM, and starts children in sessions of their own all the time. All have the word. */
const busyAgent = (word: string): string =>
  `trap "" TERM HUP; echo started ${word}; while :; do setsid sh -c 'trap "" TERM HUP; : ${word}; echo x; sleep 100; :' & sleep 0.02; done`;

/** A parent that waits in the kernel for a stopped child (state D, by `vfork`) runs no instruction before it is stopped too. */
const isStopped = (pid: number): boolean => ["T", "t", "D", "Z"].includes(readProcessStatus(pid)?.state ?? "Z");
const areStopped = (word: string): boolean => {
  const pids = findProcessesByWord(word);
  return pids.length > 0 && pids.every(isStopped);
};

const endRecords = (session: TestSessionFolder): string[] =>
  session
    .records()
    .filter(({ kind }) => kind === "signal" || kind === "exit")
    .map(({ kind, id, bytes }) => `${kind} ${id} ${Buffer.from(bytes).toString()}`);

describe.each(containments)(
  "with containment $kind, an agent that starts children in their own sessions",
  (containment) => {
    test("is frozen with all of them, continues, and is ended with all of them", async () => {
      using session = new TestSessionFolder();
      const clock = new ManualClock();
      const keeper = new Keeper(session.folder, { containment, clock, unattended });
      const word = randomUUID();
      keeper.handle({ do: "launch", id: "l", command: shellCommand(busyAgent(word)) });
      await until(() => session.text("out").split("x\n").length > 3);
      clock.advance(12_000);
      await until(() => areStopped(word));
      const pids = findProcessesByWord(word);
      const output = session.text("out");
      await delay(300);
      expect(findProcessesByWord(word)).toEqual(pids);
      expect(areStopped(word)).toBe(true);
      expect(session.text("out").slice(0, output.length)).toBe(output);

      keeper.attend(deadlinesFrom(clock.monotonic()));
      const before = session.text("out").length;
      await until(() => session.text("out").length > before + 10);
      expect(areStopped(word)).toBe(false);

      clock.advance(13_000);
      await until(() => areStopped(word));
      clock.advance(5000);
      await keeper.whenLeft;
      expect(findProcessesByWord(word)).toEqual([]);
      expect(endRecords(session)).toEqual(["signal unattended kill", 'exit  {"code":null,"signal":"SIGKILL"}']);
    });

    test("is frozen and ended if it runs in a terminal, which accepts no input meanwhile", async () => {
      using session = new TestSessionFolder();
      const clock = new ManualClock();
      const keeper = new Keeper(session.folder, { containment, clock, unattended });
      const word = randomUUID();
      const size = { columns: 80, rows: 24 };
      const terminal = { stdin: "terminal", size } as const;
      const script = `read line; echo got $line; ${busyAgent(word)}`;
      keeper.handle({ do: "launch", id: "l", command: shellCommand(script, terminal) });
      keeper.handle({ do: "type", id: "t", text: "hello\r" });
      await until(() => session.text("screen").includes("got hello"));
      await until(() => findProcessesByWord(word).length > 3);
      clock.advance(12_000);
      await until(() => areStopped(word));
      expect(() => keeper.handle({ do: "type", id: "t2", text: "x" })).toThrow("The agent is stopped");
      clock.advance(6000);
      await keeper.whenLeft;
      expect(findProcessesByWord(word)).toEqual([]);
    });

    test("is not frozen by a keeper without the rule", async () => {
      using session = new TestSessionFolder();
      const clock = new ManualClock();
      await using keeper = new Keeper(session.folder, { containment, clock });
      keeper.handle({ do: "launch", id: "l", command: shellCommand("cat") });
      keeper.attend({ confirmedAt: 1n, freezeAt: 1n, endAt: 1n });
      clock.advance(60_000);
      keeper.handle({ do: "write", id: "w", text: "still here\n" });
      await until(() => session.text("out") === "still here\n");
    });
  },
);

test("nothing is started after the announced end: the launch is recorded as an end, and the keeper leaves", async () => {
  using session = new TestSessionFolder();
  const clock = new ManualClock();
  const keeper = new Keeper(session.folder, { clock, unattended, containment: { kind: "descendants" } });
  keeper.attend(deadlinesFrom(clock.monotonic()));
  clock.advance(18_000);
  keeper.handle({ do: "launch", id: "l", command: shellCommand("echo worked; sleep 100") });
  await keeper.whenLeft;
  expect(session.text("out")).toBe("");
  expect(session.records().map(({ kind }) => kind)).toEqual(["launch", "signal", "exit"]);
  expect(endRecords(session)).toEqual(["signal unattended kill", 'exit  {"code":null,"signal":"SIGKILL"}']);
});

test("a process that was stopped before is not continued", async () => {
  using session = new TestSessionFolder();
  const clock = new ManualClock();
  await using keeper = new Keeper(session.folder, { clock, unattended, containment: { kind: "descendants" } });
  const script = "sh -c 'echo child $$; while :; do sleep 0.02; done' & while :; do echo x; sleep 0.02; done";
  keeper.handle({ do: "launch", id: "l", command: shellCommand(script) });
  const child = Number((await until(() => /child (\d+)\n/.exec(session.text("out")) ?? undefined))[1]);
  const isChildStopped = (): boolean => readProcessStatus(child)?.state === "T";
  process.kill(child, "SIGSTOP");
  await until(isChildStopped);
  clock.advance(12_000);
  keeper.attend(deadlinesFrom(clock.monotonic()));
  const { length } = session.text("out");
  await until(() => session.text("out").length > length + 10);
  expect(isChildStopped()).toBe(true);
});

describe.each(["namespace", "descendants"])("a keeper process with containment by %s", (containment) => {
  /** Starts a busy agent in a keeper that freezes after `freezeMs`. The connection stays open and attends to nothing. */
  async function startAgent(session: TestKeeper, limits: { freezeMs: number; endMs: number }) {
    vi.stubEnv("FAIRLEAD_CONTAINMENT", containment);
    const keeper = await startKeeper(session.folder, { unattended: limits });
    vi.unstubAllEnvs();
    session.pids.push(keeper.hello.pid);
    const word = randomUUID();
    await keeper.send({ do: "launch", id: "l", command: shellCommand(busyAgent(word)) });
    return { keeper, word };
  }

  test("freezes and ends its agent although clients are connected, and then exits", async () => {
    await using session = new TestKeeper();
    const { keeper, word } = await startAgent(session, { freezeMs: 1500, endMs: 3000 });
    await using _ = keeper;
    await using _other = await connectKeeper(session.folder);
    await until(() => areStopped(word), 3000);
    await until(() => readProcessIdentity(keeper.hello.pid) === null, 5000);
    expect(findProcessesByWord(word)).toEqual([]);
    expect(endRecords(session)).toEqual(["signal unattended kill", 'exit  {"code":null,"signal":"SIGKILL"}']);
    keeper.attend(deadlinesFrom(process.hrtime.bigint()));
  });

  test("that was itself stopped past the end ends its agent when it continues, whatever waits in its sockets", async () => {
    await using session = new TestKeeper();
    const { keeper, word } = await startAgent(session, { freezeMs: 1500, endMs: 2500 });
    await using _ = keeper;
    await until(() => findProcessesByWord(word).length > 2);
    process.kill(keeper.hello.pid, "SIGSTOP");
    await delay(2600);
    // It was not frozen, because its keeper was stopped.
    expect(areStopped(word)).toBe(false);
    keeper.attend(deadlinesFrom(process.hrtime.bigint()));
    const late = keeper.send({ do: "note", id: "n", text: "late" }).catch(() => {});
    process.kill(keeper.hello.pid, "SIGCONT");
    await until(() => readProcessIdentity(keeper.hello.pid) === null, 5000);
    await late;
    expect(findProcessesByWord(word)).toEqual([]);
    expect(endRecords(session)[0]).toBe("signal unattended kill");
    const kinds = session.records().map(({ kind, id }) => `${kind} ${id}`);
    expect(kinds.indexOf("signal unattended")).toBeLessThan(kinds.concat("note n").indexOf("note n"));
  });

  test("continues its agent while a client attends", async () => {
    await using session = new TestKeeper();
    const { keeper, word } = await startAgent(session, { freezeMs: 1000, endMs: 2000 });
    await using _ = keeper;
    const attending = setInterval(() => keeper.attend(deadlinesFrom(process.hrtime.bigint(), 1000, 2000)), 200);
    await delay(3000);
    expect(areStopped(word)).toBe(false);
    clearInterval(attending);
    // The socket has no reply to these requests, and others get theirs.
    expect(await keeper.send({ do: "note", id: "n", text: "" })).toMatchObject({ ack: "n" });
    await until(() => readProcessIdentity(keeper.hello.pid) === null, 5000);
    expect(findProcessesByWord(word)).toEqual([]);
  });
});

function deadlinesFrom(confirmedAt: bigint, freezeMs = 12_000, endMs = 18_000): KeeperDeadlines {
  const after = (ms: number): bigint => confirmedAt + BigInt(ms) * 1_000_000n;
  return { confirmedAt, freezeAt: after(freezeMs), endAt: after(endMs) };
}
