import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Containment } from "./containment.ts";
import { FrameRefused } from "./frame-refused.ts";
import { Keeper } from "./keeper.ts";
import { readAll, SessionForTest, shell, until } from "./session-for-test.ts";
import { SpoolReader } from "./spool-reader.ts";

const kinds = (session: SessionForTest): string[] => session.records().map((record) => record.kind);

const containments: readonly Containment[] = [
  { kind: "namespace", program: "/usr/bin/bwrap" },
  { kind: "descendants" },
];

describe.each(containments)("a process held by $kind", (containment) => {
  test("is heard, told and seen to end, all in one order", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.take({ do: "launch", id: "l", line: shell("read line; echo heard $line; echo bad >&2; exit 7") });
    expect(keeper.take({ do: "say", id: "s", text: "hello\n" })).toEqual({ ack: "s", seq: 2, duplicate: false });
    expect(await session.exit(1)).toEqual({ code: 7, signal: null });
    expect(kinds(session).slice(0, 2)).toEqual(["launch", "in"]);
    expect(kinds(session).at(-1)).toBe("exit");
    expect([session.text("in"), session.text("out"), session.text("err")]).toEqual([
      "hello\n",
      "heard hello\n",
      "bad\n",
    ]);
    expect(session.records().map((record) => record.id)).toEqual(["l", "s", "", "", ""]);
  });

  test("gets exactly the environment it was given, and the spool only its names", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    const env = { PATH: process.env["PATH"] ?? "", TOKEN: "hunter2-secret" };
    const line = shell('test "$TOKEN" = hunter2-secret && env | cut -d= -f1 | sort; pwd; echo $PWD', {
      env,
      cwd: tmpdir(),
    });
    keeper.take({ do: "launch", id: "l", line });
    expect(await session.exit(1)).toEqual({ code: 0, signal: null });
    const names = session
      .text("out")
      .split("\n")
      .filter((name) => name !== "_" && name !== "OLDPWD");
    const ours = ["FAIRLEAD_KEEPER", "FAIRLEAD_PROCESS", "FAIRLEAD_SESSION", "PATH", "PWD", "TOKEN"];
    expect(names).toEqual([...ours, tmpdir(), tmpdir(), ""]);
    const { program, args, cwd, stdin } = line;
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

  test("has no environment value anywhere in the spool's files", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    const env = { PATH: process.env["PATH"] ?? "", TOKEN: "hunter2-secret" };
    keeper.take({ do: "launch", id: "l", line: shell("exit 0", { env }) });
    await session.exit(1);
    const files = readdirSync(session.spool).map((name) => readFileSync(join(session.spool, name)));
    expect(Buffer.concat(files).includes("TOKEN")).toBe(true);
    expect(Buffer.concat(files).includes("hunter2")).toBe(false);
  });

  test("that cannot be started has been launched, and has ended with the reason", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.take({ do: "launch", id: "1", line: shell("", { program: "no-such-program" }) });
    keeper.take({ do: "launch", id: "2", line: shell("", { cwd: "/no/such/folder" }) });
    keeper.take({ do: "launch", id: "3", line: shell("a\0b") });
    expect(await session.exit(1)).toEqual({ code: null, signal: null, error: "spawn no-such-program ENOENT" });
    expect((await session.exit(2)).error).toBe("The folder /no/such/folder does not exist.");
    expect((await session.exit(3)).error).toMatch(/null bytes/);
  });

  test("without an input finds it at its end", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.take({ do: "launch", id: "l", line: shell("cat; echo end", { stdin: "none" }) });
    await session.exit(1);
    expect(session.text("out")).toBe("end\n");
  });

  test("sees its input end when we hang up", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.take({ do: "launch", id: "l", line: shell("cat; exit 3") });
    keeper.take({ do: "say", id: "s", text: "some" });
    keeper.take({ do: "hangup", id: "h" });
    expect(await session.exit(1)).toEqual({ code: 3, signal: null });
    expect(session.text("out")).toBe("some");
  });

  test("gets a signal, and its exit says so", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.take({ do: "launch", id: "l", line: shell("exec sleep 100") });
    keeper.take({ do: "signal", id: "s", signal: "SIGINT" });
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGINT" });
    expect(session.text("signal")).toBe("SIGINT");
  });

  test("that exits like one that was killed is told from it, unless we sent the signal", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.take({ do: "launch", id: "1", line: shell("exit 143") });
    expect(await session.exit(1)).toEqual({ code: 143, signal: null });
    keeper.take({ do: "launch", id: "2", line: shell("kill -KILL $$") });
    expect(await session.exit(2)).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("may signal its own group, and live on", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.take({ do: "launch", id: "1", line: shell("trap '' TERM; kill -TERM 0; sleep 0.1; echo alive; exit 6") });
    expect(await session.exit(1)).toEqual({ code: 6, signal: null });
    expect(session.text("out")).toBe("alive\n");
  });

  test("knows its folder by the name it was given, and a program beside it", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    mkdirSync(join(session.folder, "real"));
    symlinkSync("real", join(session.folder, "alias"));
    writeFileSync(join(session.folder, "real", "program"), "#!/bin/sh\necho $PWD\n", { mode: 0o755 });
    writeFileSync(join(session.folder, "real", "unfit"), "");
    const cwd = join(session.folder, "alias");
    keeper.take({ do: "launch", id: "1", line: shell("", { program: "./program", cwd }) });
    await session.exit(1);
    expect(session.text("out")).toBe(`${cwd}\n`);
    keeper.take({ do: "launch", id: "2", line: shell("", { program: "./unfit", cwd }) });
    expect(await session.exit(2)).toEqual({ code: null, signal: null, error: "spawn ./unfit EACCES" });
  });

  test("that no longer listens breaks nothing", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.take({ do: "launch", id: "l", line: shell("exec <&-; echo closed; sleep 0.3; exit 4") });
    await until(() => session.text("out") === "closed\n");
    for (let count = 0; count < 20; count++) keeper.take({ do: "say", id: `s${count}`, text: "x".repeat(100_000) });
    expect(await session.exit(1)).toEqual({ code: 4, signal: null });
  });
});

describe("a frame", () => {
  test("sent again is acknowledged again and done once, also by the next keeper", async () => {
    using session = new SessionForTest();
    {
      await using keeper = new Keeper(session.folder);
      keeper.take({ do: "launch", id: "l", line: shell("cat") });
      keeper.take({ do: "say", id: "s", text: "once\n" });
      expect(keeper.take({ do: "say", id: "s", text: "once\n" })).toEqual({ ack: "s", seq: 2, duplicate: true });
      expect(keeper.take({ do: "launch", id: "l", line: shell("echo twice") }).duplicate).toBe(true);
      keeper.take({ do: "hangup", id: "h" });
      await session.exit(1);
      expect(session.text("out")).toBe("once\n");
    }
    await using next = new Keeper(session.folder);
    expect(next.take({ do: "say", id: "s", text: "once\n" })).toEqual({ ack: "s", seq: 2, duplicate: true });
    next.take({ do: "launch", id: "l2", line: shell("exit 9") });
    expect(await session.exit(2)).toEqual({ code: 9, signal: null });
  });

  test("for a process that never was is refused, and its id stays free", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    expect(() => keeper.take({ do: "say", id: "s", text: "a" })).toThrow(FrameRefused);
    expect(() => keeper.take({ do: "kill", id: "k" })).toThrow(FrameRefused);
    keeper.take({ do: "launch", id: "l", line: shell("cat") });
    expect(() => keeper.take({ do: "say", id: "s", process: 2, text: "a" })).toThrow(FrameRefused);
    expect(keeper.take({ do: "say", id: "s", text: "a" })).toMatchObject({ seq: 2, duplicate: false });
  });

  test("for a process that has ended is spent, so that no later process can get it", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    keeper.take({ do: "launch", id: "l", line: shell("exit 0") });
    await session.exit(1);
    expect(keeper.take({ do: "say", id: "late", text: "late\n" })).toMatchObject({ duplicate: false });
    keeper.take({ do: "launch", id: "l2", line: shell("cat") });
    expect(keeper.take({ do: "say", id: "late", text: "late\n" })).toMatchObject({ duplicate: true });
    keeper.take({ do: "say", id: "s", text: "in time\n" });
    keeper.take({ do: "hangup", id: "h" });
    await session.exit(2);
    expect(session.text("out")).toBe("in time\n");
  });

  test("too large for a record is refused", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    expect(() => keeper.take({ do: "note", id: "n", text: "x".repeat(16 * 1024 * 1024 + 1) })).toThrow(FrameRefused);
    expect(keeper.take({ do: "note", id: "n", text: "x".repeat(16 * 1024 * 1024) }).seq).toBe(1);
  });
});

test("20,000 lines arrive in order while they are written", { timeout: 30_000 }, async () => {
  using session = new SessionForTest();
  await using keeper = new Keeper(session.folder, { segmentBytes: 50_000 });
  const program = "for (let n = 0; n < 20000; n++) process.stdout.write(n + '\\n')";
  keeper.take({ do: "launch", id: "l", line: { ...shell(""), program: process.execPath, args: ["-e", program] } });
  const reader = new SpoolReader(session.spool);
  let text = "";
  let batches = 0;
  await until(() => {
    const records = readAll(reader);
    if (records.length > 0) batches++;
    text += Buffer.concat(records.filter((it) => it.kind === "out").map((it) => it.bytes)).toString();
    return records.some((record) => record.kind === "exit");
  });
  expect(text).toBe(Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join(""));
  expect(batches).toBeGreaterThan(2);
  expect(readdirSync(session.spool).length).toBeGreaterThan(1);
});

test("a keeper that was told to leave launches nothing more, and leaves when its process has ended", async () => {
  using session = new SessionForTest();
  const keeper = new Keeper(session.folder);
  keeper.take({ do: "launch", id: "l", line: shell("cat") });
  expect(() => keeper.take({ do: "leave", id: "too late", after: 0 })).toThrow(FrameRefused);
  keeper.take({ do: "leave", id: "bye", after: keeper.lastSeq });
  expect(() => keeper.take({ do: "launch", id: "l2", line: shell("cat") })).toThrow(FrameRefused);
  keeper.take({ do: "hangup", id: "h" });
  await keeper.left;
  expect(kinds(session)).toEqual(["launch", "hangup", "exit"]);
  expect(() => keeper.take({ do: "note", id: "n", text: "" })).toThrow(FrameRefused);
  expect(existsSync(session.spool)).toBe(true);
});
