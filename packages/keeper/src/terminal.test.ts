import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { LaunchLine } from "@fairlead/contract";
import { connectKeeper } from "./client.ts";
import type { Containment } from "./containment.ts";
import { FrameRefused } from "./frame-refused.ts";
import { KeeperForTest } from "./keeper-for-test.ts";
import { Keeper } from "./keeper.ts";
import { processesWith, SessionForTest, shell, until } from "./session-for-test.ts";

const size = { columns: 80, rows: 24 };
const inTerminal = (script: string): LaunchLine => shell(script, { stdin: "terminal", size });

describe.each<Containment>([{ kind: "namespace", program: "/usr/bin/bwrap" }, { kind: "descendants" }])(
  "in a terminal held by %o",
  (containment) => {
    test("a program has a terminal of that size for all its streams, and hears of another", async () => {
      using session = new SessionForTest();
      await using keeper = new Keeper(session.folder, { containment });
      const told = "stty size; test -t 0 && test -t 1 && test -t 2 && echo all-three; trap 'stty size; exit 3' WINCH";
      keeper.take({ do: "launch", id: "l", line: inTerminal(`${told}; echo ready; while :; do sleep 0.05; done`) });
      await until(() => session.text("screen").includes("ready"));
      keeper.take({ do: "resize", id: "r", size: { columns: 100, rows: 30 } });
      expect(await session.exit(1)).toEqual({ code: 3, signal: null });
      expect(session.text("screen")).toBe("24 80\r\nall-three\r\nready\r\n30 100\r\n");
      expect(session.text("out") + session.text("err")).toBe("");
    });

    test("what is typed arrives and is not in the spool, but for what the program shows of it", async () => {
      using session = new SessionForTest();
      await using keeper = new Keeper(session.folder, { containment });
      const script = "stty -echo; echo Password:; read secret; stty echo; echo heard ${#secret}";
      keeper.take({ do: "launch", id: "l", line: inTerminal(script) });
      await until(() => session.text("screen").includes("Password:"));
      keeper.take({ do: "type", id: "t", text: "hunter2\r" });
      await session.exit(1);
      expect(session.text("screen")).toContain("heard 7");
      expect(session.records().some(({ bytes }) => Buffer.from(bytes).includes("hunter2"))).toBe(false);
    });

    test("Ctrl-C reaches the program in front, and nobody else", async () => {
      using session = new SessionForTest();
      await using keeper = new Keeper(session.folder, { containment });
      const script = "trap 'echo interrupted; exit 4' INT; echo ready; while :; do sleep 0.05; done";
      keeper.take({ do: "launch", id: "l", line: inTerminal(script) });
      await until(() => session.text("screen").includes("ready"));
      keeper.take({ do: "type", id: "t", text: "\u0003" });
      expect(await session.exit(1)).toEqual({ code: 4, signal: null });
      expect(session.text("screen")).toContain("interrupted");
    });

    test("all that is typed arrives, however much it is and however late it is read", async () => {
      using session = new SessionForTest();
      await using keeper = new Keeper(session.folder, { containment });
      const script = "stty raw -echo; echo ready; sleep 0.3; head -c 100000 | tr -d x | wc -c";
      keeper.take({ do: "launch", id: "l", line: inTerminal(script) });
      await until(() => session.text("screen").includes("ready"));
      keeper.take({ do: "type", id: "t", text: `${"x".repeat(99_990)}0123456789` });
      expect(await session.exit(1)).toEqual({ code: 0, signal: null });
      expect(session.text("screen")).toContain("10");
    });

    test("a kill leaves nothing of a program that ignores everything", async () => {
      using session = new SessionForTest();
      await using keeper = new Keeper(session.folder, { containment });
      const word = randomUUID();
      const stubborn = `trap "" TERM HUP INT; : ${word}; echo ready; while :; do sleep 0.1; done`;
      keeper.take({ do: "launch", id: "l", line: inTerminal(`(${stubborn}) & ${stubborn}`) });
      await until(() => session.text("screen").includes("ready\r\nready"));
      expect(processesWith(word).length).toBeGreaterThan(1);
      keeper.take({ do: "kill", id: "k" });
      expect(await session.exit(1)).toEqual({ code: null, signal: "SIGKILL" });
      expect(processesWith(word)).toEqual([]);
    });

    test("a program has no way to the near end", async () => {
      using session = new SessionForTest();
      await using keeper = new Keeper(session.folder, { containment });
      keeper.take({ do: "launch", id: "l", line: inTerminal("ls -l /proc/self/fd") });
      await session.exit(1);
      expect(session.text("screen")).not.toContain("ptmx");
    });

    test("what cannot be started says so", async () => {
      using session = new SessionForTest();
      await using keeper = new Keeper(session.folder, { containment });
      keeper.take({ do: "launch", id: "l", line: { ...inTerminal(""), program: "no-such-program" } });
      expect(await session.exit(1)).toEqual({ code: null, signal: null, error: "spawn no-such-program ENOENT" });
    });
  },
);

test("where there is no terminal, nothing can be typed and nothing resized", async () => {
  using session = new SessionForTest();
  await using keeper = new Keeper(session.folder);
  keeper.take({ do: "launch", id: "l", line: shell("cat") });
  expect(() => keeper.take({ do: "type", id: "t", text: "x" })).toThrow(FrameRefused);
  expect(() => keeper.take({ do: "resize", id: "r", size })).toThrow("No terminal is open.");
});

test("a keeper says that it can hold a terminal, and does so beyond its client", async () => {
  await using keeper = new KeeperForTest();
  await using first = await keeper.start();
  expect(first.features.has("terminal")).toBe(true);
  await first.send({ do: "launch", id: "l", line: inTerminal("echo ready; read line; echo got $line") });
  await until(() => keeper.text("screen").includes("ready"));
  await first[Symbol.asyncDispose]();
  await using second = await connectKeeper(keeper.folder);
  await second.send({ do: "type", id: "t", text: "it\r" });
  await keeper.exit(1);
  expect(keeper.text("screen")).toContain("got it");
});
