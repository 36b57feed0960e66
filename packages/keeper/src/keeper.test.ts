import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Containment } from "./process/containment.ts";
import { RequestRejected } from "./protocol/request-rejected.ts";
import { Keeper } from "./keeper.ts";
import {
  readAllRecords,
  TestSessionFolder,
  shellCommand,
  until,
} from "@fairlead/testing/keeper/test-session-folder.ts";
import { maxProcessNumber } from "./spool/spool-format.ts";
import { SpoolReader } from "./spool/spool-reader.ts";
import { SpoolWriter } from "./spool/spool-writer.ts";

const kinds = (session: TestSessionFolder): string[] => session.records().map((record) => record.kind);

const containments: readonly Containment[] = [
  { kind: "namespace", program: "/usr/bin/bwrap" },
  { kind: "descendants" },
];

describe.each(containments)("a process with containment $kind", (containment) => {
  test("has its input, output and exit recorded in one order", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.handle({
      do: "launch",
      id: "l",
      command: shellCommand("read line; echo got $line; echo bad >&2; exit 7"),
    });
    expect(keeper.handle({ do: "write", id: "s", text: "hello\n" })).toEqual({ ack: "s", seq: 2, duplicate: false });
    expect(await session.exit(1)).toEqual({ code: 7, signal: null });
    expect(kinds(session).slice(0, 2)).toEqual(["launch", "in"]);
    expect(kinds(session).at(-1)).toBe("exit");
    expect([session.text("in"), session.text("out"), session.text("err")]).toEqual(["hello\n", "got hello\n", "bad\n"]);
    expect(session.records().map((record) => record.id)).toEqual(["l", "s", "", "", ""]);
  });

  test("gets exactly the environment of its command, and the spool records only the names", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    const env = { PATH: process.env["PATH"] ?? "", TOKEN: "hunter2-secret" };
    const command = shellCommand('test "$TOKEN" = hunter2-secret && env | cut -d= -f1 | sort; pwd; echo $PWD', {
      env,
      cwd: tmpdir(),
    });
    keeper.handle({ do: "launch", id: "l", command });
    expect(await session.exit(1)).toEqual({ code: 0, signal: null });
    const names = session
      .text("out")
      .split("\n")
      .filter((name) => name !== "_" && name !== "OLDPWD");
    const expectedNames = ["FAIRLEAD_KEEPER", "FAIRLEAD_PROCESS", "FAIRLEAD_SESSION", "PATH", "PWD", "TOKEN"];
    expect(names).toEqual([...expectedNames, tmpdir(), tmpdir(), ""]);
    const { program, args, cwd, stdin } = command;
    expect(JSON.parse(session.text("launch"))).toEqual({
      program,
      args,
      cwd,
      stdin,
      env: ["PATH", "TOKEN"],
      containment: containment.kind,
    });
    const withoutScript = session.records().filter((record) => record.kind !== "launch");
    expect(Buffer.concat(withoutScript.map((record) => record.bytes)).includes("hunter2")).toBe(false);
  });

  test("leaves no environment value in the spool's files", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    const env = { PATH: process.env["PATH"] ?? "", TOKEN: "hunter2-secret" };
    keeper.handle({ do: "launch", id: "l", command: shellCommand("exit 0", { env }) });
    await session.exit(1);
    const files = readdirSync(session.spool).map((name) => readFileSync(join(session.spool, name)));
    expect(Buffer.concat(files).includes("TOKEN")).toBe(true);
    expect(Buffer.concat(files).includes("hunter2")).toBe(false);
  });

  test("that cannot start has a launch record and an exit record with the error", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.handle({ do: "launch", id: "1", command: shellCommand("", { program: "no-such-program" }) });
    keeper.handle({ do: "launch", id: "2", command: shellCommand("", { cwd: "/no/such/folder" }) });
    keeper.handle({ do: "launch", id: "3", command: shellCommand("a\0b") });
    expect(await session.exit(1)).toEqual({ code: null, signal: null, error: "spawn no-such-program ENOENT" });
    expect((await session.exit(2)).error).toBe("The folder /no/such/folder does not exist.");
    expect((await session.exit(3)).error).toMatch(/null bytes/);
  });

  test("without stdin reads end of file", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.handle({ do: "launch", id: "l", command: shellCommand("cat; echo end", { stdin: "none" }) });
    await session.exit(1);
    expect(session.text("out")).toBe("end\n");
  });

  test("reads end of file after close-stdin", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.handle({ do: "launch", id: "l", command: shellCommand("cat; exit 3") });
    keeper.handle({ do: "write", id: "s", text: "some" });
    keeper.handle({ do: "close-stdin", id: "h" });
    expect(await session.exit(1)).toEqual({ code: 3, signal: null });
    expect(session.text("out")).toBe("some");
  });

  test("gets a signal, which its exit record names", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.handle({ do: "launch", id: "l", command: shellCommand("exec sleep 100") });
    keeper.handle({ do: "signal", id: "s", signal: "SIGINT" });
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGINT" });
    expect(session.text("signal")).toBe("SIGINT");
  });

  test("that exits with code 143 is not reported as killed by SIGTERM", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.handle({ do: "launch", id: "1", command: shellCommand("exit 143") });
    expect(await session.exit(1)).toEqual({ code: 143, signal: null });
    keeper.handle({ do: "launch", id: "2", command: shellCommand("kill -KILL $$") });
    expect(await session.exit(2)).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("can signal its own group without ending its containment", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.handle({
      do: "launch",
      id: "1",
      command: shellCommand("trap '' TERM; kill -TERM 0; sleep 0.1; echo alive; exit 6"),
    });
    expect(await session.exit(1)).toEqual({ code: 6, signal: null });
    expect(session.text("out")).toBe("alive\n");
  });

  test("gets the unresolved path of its folder in PWD, and can be a program relative to it", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    mkdirSync(join(session.folder, "real"));
    symlinkSync("real", join(session.folder, "alias"));
    writeFileSync(join(session.folder, "real", "program"), "#!/bin/sh\necho $PWD\n", { mode: 0o755 });
    writeFileSync(join(session.folder, "real", "unfit"), "");
    const cwd = join(session.folder, "alias");
    keeper.handle({ do: "launch", id: "1", command: shellCommand("", { program: "./program", cwd }) });
    await session.exit(1);
    expect(session.text("out")).toBe(`${cwd}\n`);
    keeper.handle({ do: "launch", id: "2", command: shellCommand("", { program: "./unfit", cwd }) });
    expect(await session.exit(2)).toEqual({ code: null, signal: null, error: "spawn ./unfit EACCES" });
  });

  test("that has closed its stdin does not break the keeper when it writes", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.handle({ do: "launch", id: "l", command: shellCommand("exec <&-; echo closed; sleep 0.3; exit 4") });
    await until(() => session.text("out") === "closed\n");
    for (let count = 0; count < 20; count++) keeper.handle({ do: "write", id: `s${count}`, text: "x".repeat(100_000) });
    expect(await session.exit(1)).toEqual({ code: 4, signal: null });
  });
});

describe("a request", () => {
  test("that is sent again is acknowledged as a duplicate and executed once, also by the next keeper", async () => {
    using session = new TestSessionFolder();
    {
      await using keeper = new Keeper(session.folder);
      keeper.handle({ do: "launch", id: "l", command: shellCommand("cat") });
      keeper.handle({ do: "write", id: "s", text: "once\n" });
      expect(keeper.handle({ do: "write", id: "s", text: "once\n" })).toEqual({ ack: "s", seq: 2, duplicate: true });
      expect(keeper.handle({ do: "launch", id: "l", command: shellCommand("echo twice") }).duplicate).toBe(true);
      keeper.handle({ do: "close-stdin", id: "h" });
      await session.exit(1);
      expect(session.text("out")).toBe("once\n");
    }
    await using next = new Keeper(session.folder);
    expect(next.handle({ do: "write", id: "s", text: "once\n" })).toEqual({ ack: "s", seq: 2, duplicate: true });
    next.handle({ do: "launch", id: "l2", command: shellCommand("exit 9") });
    expect(await session.exit(2)).toEqual({ code: 9, signal: null });
  });

  test("for a process that was never launched is rejected, and its id can be used again", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder);
    expect(() => keeper.handle({ do: "write", id: "s", text: "a" })).toThrow(RequestRejected);
    expect(() => keeper.handle({ do: "kill", id: "k" })).toThrow(RequestRejected);
    keeper.handle({ do: "launch", id: "l", command: shellCommand("cat") });
    expect(() => keeper.handle({ do: "write", id: "s", process: 2, text: "a" })).toThrow(RequestRejected);
    expect(keeper.handle({ do: "write", id: "s", text: "a" })).toMatchObject({ seq: 2, duplicate: false });
  });

  test("for a process that has ended is recorded, so that no later process can get it", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder);
    keeper.handle({ do: "launch", id: "l", command: shellCommand("exit 0") });
    await session.exit(1);
    expect(keeper.handle({ do: "write", id: "late", text: "late\n" })).toMatchObject({ duplicate: false });
    keeper.handle({ do: "launch", id: "l2", command: shellCommand("cat") });
    expect(keeper.handle({ do: "write", id: "late", text: "late\n" })).toMatchObject({ duplicate: true });
    keeper.handle({ do: "write", id: "s", text: "in time\n" });
    keeper.handle({ do: "close-stdin", id: "h" });
    await session.exit(2);
    expect(session.text("out")).toBe("in time\n");
  });

  test("that is too large for a record is rejected", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder);
    expect(() => keeper.handle({ do: "note", id: "n", text: "x".repeat(16 * 1024 * 1024 + 1) })).toThrow(
      RequestRejected,
    );
    expect(keeper.handle({ do: "note", id: "n", text: "x".repeat(16 * 1024 * 1024) }).seq).toBe(1);
  });
});

test("a reader gets 20,000 lines in order while the keeper writes them", { timeout: 30_000 }, async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder, { segmentBytes: 50_000 });
  const program = "for (let n = 0; n < 20000; n++) process.stdout.write(n + '\\n')";
  keeper.handle({
    do: "launch",
    id: "l",
    command: { ...shellCommand(""), program: process.execPath, args: ["-e", program] },
  });
  const reader = new SpoolReader(session.spool);
  let text = "";
  let batches = 0;
  await until(() => {
    const records = readAllRecords(reader);
    if (records.length > 0) batches++;
    text += Buffer.concat(records.filter((record) => record.kind === "out").map((record) => record.bytes)).toString();
    return records.some((record) => record.kind === "exit");
  });
  expect(text).toBe(Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join(""));
  expect(batches).toBeGreaterThan(2);
  expect(readdirSync(session.spool).length).toBeGreaterThan(1);
});

test("a keeper that is leaving launches no process, and leaves when its last process has ended", async () => {
  using session = new TestSessionFolder();
  const keeper = new Keeper(session.folder);
  keeper.handle({ do: "launch", id: "l", command: shellCommand("cat") });
  expect(() => keeper.handle({ do: "leave", id: "too late", after: 0 })).toThrow(RequestRejected);
  keeper.handle({ do: "leave", id: "bye", after: keeper.lastSeq });
  expect(() => keeper.handle({ do: "launch", id: "l2", command: shellCommand("cat") })).toThrow(RequestRejected);
  keeper.handle({ do: "close-stdin", id: "h" });
  await keeper.whenLeft;
  expect(kinds(session)).toEqual(["launch", "stdin-closed", "exit"]);
  expect(() => keeper.handle({ do: "note", id: "n", text: "" })).toThrow(RequestRejected);
  expect(existsSync(session.spool)).toBe(true);
});

test("a session that has launched as many processes as a record can name launches no more, and keeps its numbers", async () => {
  using session = new TestSessionFolder();
  const launch = { kind: "launch", process: maxProcessNumber - 1, id: "old", bytes: Buffer.from("{}") } as const;
  {
    using writer = new SpoolWriter(session.spool);
    writer.append(launch);
    expect(() => writer.append({ ...launch, process: maxProcessNumber + 1, id: "next" })).toThrow(RangeError);
  }
  await using keeper = new Keeper(session.folder);
  keeper.handle({ do: "launch", id: "last", command: shellCommand("echo out") });
  await session.exit(maxProcessNumber);
  expect(session.text("out", maxProcessNumber)).toBe("out\n");
  const { lastSeq } = keeper;
  const tooMany = () => keeper.handle({ do: "launch", id: "too many", command: shellCommand("echo no") });
  expect(tooMany).toThrow("65,535 processes, the limit");
  expect(tooMany).toThrow(expect.objectContaining({ retryable: false }));
  expect(keeper.lastSeq).toBe(lastSeq);
});
