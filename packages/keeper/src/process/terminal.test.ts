import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { LaunchCommand } from "@fairlead/contract";
import { connectKeeper } from "../protocol/connect-keeper.ts";
import type { Containment } from "./containment.ts";
import { RequestRejected } from "../protocol/request-rejected.ts";
import { TestKeeper } from "@fairlead/testing/keeper/test-keeper.ts";
import { Keeper } from "../keeper.ts";
import {
  findProcessesByWord,
  TestSessionFolder,
  shellCommand,
  until,
} from "@fairlead/testing/keeper/test-session-folder.ts";

const size = { columns: 80, rows: 24 };
const inTerminal = (script: string): LaunchCommand => shellCommand(script, { stdin: "terminal", size });

describe.each<Containment>([{ kind: "namespace", program: "/usr/bin/bwrap" }, { kind: "descendants" }])(
  "in a terminal with containment %o",
  (containment) => {
    test("all three streams of a program are a terminal of the requested size, and a resize reaches the program", async () => {
      using session = new TestSessionFolder();
      await using keeper = new Keeper(session.folder, { containment });
      const checks = "stty size; test -t 0 && test -t 1 && test -t 2 && echo all-three; trap 'stty size; exit 3' WINCH";
      keeper.handle({
        do: "launch",
        id: "l",
        command: inTerminal(`${checks}; echo ready; while :; do sleep 0.05; done`),
      });
      await until(() => session.text("screen").includes("ready"));
      keeper.handle({ do: "resize", id: "r", size: { columns: 100, rows: 30 } });
      expect(await session.exit(1)).toEqual({ code: 3, signal: null });
      expect(session.text("screen")).toBe("24 80\r\nall-three\r\nready\r\n30 100\r\n");
      expect(session.text("out") + session.text("err")).toBe("");
    });

    test("typed text reaches the program and is not recorded, except for what the program prints", async () => {
      using session = new TestSessionFolder();
      await using keeper = new Keeper(session.folder, { containment });
      const script = "stty -echo; echo Password:; read secret; stty echo; echo length ${#secret}";
      keeper.handle({ do: "launch", id: "l", command: inTerminal(script) });
      await until(() => session.text("screen").includes("Password:"));
      keeper.handle({ do: "type", id: "t", text: "hunter2\r" });
      await session.exit(1);
      expect(session.text("screen")).toContain("length 7");
      expect(session.records().some(({ bytes }) => Buffer.from(bytes).includes("hunter2"))).toBe(false);
    });

    test("Ctrl-C interrupts the foreground program", async () => {
      using session = new TestSessionFolder();
      await using keeper = new Keeper(session.folder, { containment });
      const script = "trap 'echo interrupted; exit 4' INT; echo ready; while :; do sleep 0.05; done";
      keeper.handle({ do: "launch", id: "l", command: inTerminal(script) });
      await until(() => session.text("screen").includes("ready"));
      keeper.handle({ do: "type", id: "t", text: "\u0003" });
      expect(await session.exit(1)).toEqual({ code: 4, signal: null });
      expect(session.text("screen")).toContain("interrupted");
    });

    test("a large typed text reaches a program that reads late", async () => {
      using session = new TestSessionFolder();
      await using keeper = new Keeper(session.folder, { containment });
      const script = "stty raw -echo; echo ready; sleep 0.3; head -c 100000 | tr -d x | wc -c";
      keeper.handle({ do: "launch", id: "l", command: inTerminal(script) });
      await until(() => session.text("screen").includes("ready"));
      keeper.handle({ do: "type", id: "t", text: `${"x".repeat(99_990)}0123456789` });
      expect(await session.exit(1)).toEqual({ code: 0, signal: null });
      expect(session.text("screen")).toMatch(/^ready\s+10\s+$/);
    });

    test("a program that does not read what is typed does not freeze the keeper", async () => {
      using session = new TestSessionFolder();
      await using keeper = new Keeper(session.folder, { containment });
      const script = "stty raw -echo; echo ready; sleep 4; head -c 200000 | tr -d x | wc -c";
      keeper.handle({ do: "launch", id: "l", command: inTerminal(script) });
      await until(() => session.text("screen").includes("ready"));
      const typedAt = performance.now();
      keeper.handle({ do: "type", id: "t1", text: "x".repeat(100_000) });
      keeper.handle({ do: "type", id: "t2", text: `${"x".repeat(99_990)}0123456789` });
      expect(performance.now() - typedAt).toBeLessThan(2000);
      expect(await session.exit(1)).toEqual({ code: 0, signal: null });
      expect(session.text("screen")).toMatch(/^ready\s+10\s+$/);
    });

    test("a full input rejects keys as retryable, and they reach the program when they are typed again", async () => {
      using session = new TestSessionFolder();
      await using keeper = new Keeper(session.folder, { containment });
      const script = "stty raw -echo; echo ready; sleep 0.5; head -c 3145728 | tr -d x | wc -c";
      keeper.handle({ do: "launch", id: "l", command: inTerminal(script) });
      await until(() => session.text("screen").includes("ready"));
      const rejections: unknown[] = [];
      for (let count = 0; count < 48; count += 1) {
        await until(() => {
          try {
            keeper.handle({ do: "type", id: `t${count}`, text: `${"x".repeat(65_535)}0` });
            return true;
          } catch (error) {
            rejections.push(error);
            return false;
          }
        });
      }
      expect(await session.exit(1)).toEqual({ code: 0, signal: null });
      expect(session.text("screen")).toMatch(/^ready\s+48\s+$/);
      expect(rejections[0]).toMatchObject({ name: "RequestRejected", retryable: true });
      expect(rejections[0]).toHaveProperty("message", expect.stringContaining("input is full"));
    });

    test("a kill ends a program and its child that ignore signals", async () => {
      using session = new TestSessionFolder();
      await using keeper = new Keeper(session.folder, { containment });
      const word = randomUUID();
      const stubborn = `trap "" TERM HUP INT; : ${word}; echo ready; while :; do sleep 0.1; done`;
      keeper.handle({ do: "launch", id: "l", command: inTerminal(`(${stubborn}) & ${stubborn}`) });
      await until(() => session.text("screen").includes("ready\r\nready"));
      expect(findProcessesByWord(word).length).toBeGreaterThan(1);
      keeper.handle({ do: "kill", id: "k" });
      expect(await session.exit(1)).toEqual({ code: null, signal: "SIGKILL" });
      expect(findProcessesByWord(word)).toEqual([]);
    });

    test("a program does not inherit the master end", async () => {
      using session = new TestSessionFolder();
      await using keeper = new Keeper(session.folder, { containment });
      keeper.handle({ do: "launch", id: "l", command: inTerminal("ls -l /proc/self/fd") });
      await session.exit(1);
      expect(session.text("screen")).not.toContain("ptmx");
    });

    test("a program that cannot start has an exit record with the error", async () => {
      using session = new TestSessionFolder();
      await using keeper = new Keeper(session.folder, { containment });
      keeper.handle({ do: "launch", id: "l", command: { ...inTerminal(""), program: "no-such-program" } });
      expect(await session.exit(1)).toEqual({ code: null, signal: null, error: "spawn no-such-program ENOENT" });
    });
  },
);

test("type and resize are rejected without a terminal", async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder);
  keeper.handle({ do: "launch", id: "l", command: shellCommand("cat") });
  expect(() => keeper.handle({ do: "type", id: "t", text: "x" })).toThrow(RequestRejected);
  expect(() => keeper.handle({ do: "resize", id: "r", size })).toThrow("No terminal is open");
});

test("a keeper announces the feature terminal, and its terminal outlives the client", async () => {
  await using keeper = new TestKeeper();
  await using first = await keeper.start();
  expect(first.features.has("terminal")).toBe(true);
  await first.send({ do: "launch", id: "l", command: inTerminal("echo ready; read line; echo got $line") });
  await until(() => keeper.text("screen").includes("ready"));
  await first[Symbol.asyncDispose]();
  await using second = await connectKeeper(keeper.folder);
  await second.send({ do: "type", id: "t", text: "it\r" });
  await keeper.exit(1);
  expect(keeper.text("screen")).toContain("got it");
});
