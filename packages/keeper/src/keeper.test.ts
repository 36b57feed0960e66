import { existsSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FrameRefused } from "./frame-refused.ts";
import { Keeper } from "./keeper.ts";
import { identity } from "./process-identity.ts";
import { pidIn, readAll, SessionForTest, shell, until } from "./session-for-test.ts";
import { SpoolReader } from "./spool-reader.ts";

const kinds = (session: SessionForTest): string[] => session.records().map((record) => record.kind);

describe("a process", () => {
  test("is heard, told and seen to end, all in one order", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
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
    await using keeper = new Keeper(session.folder);
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
    expect(JSON.parse(session.text("launch"))).toEqual({ program, args, cwd, stdin, env: ["PATH", "TOKEN"] });
    const withoutScript = session.records().filter((record) => record.kind !== "launch");
    expect(Buffer.concat(withoutScript.map((record) => record.bytes)).includes("hunter2")).toBe(false);
  });

  test("has no environment value anywhere in the spool's files", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    const env = { PATH: process.env["PATH"] ?? "", TOKEN: "hunter2-secret" };
    keeper.take({ do: "launch", id: "l", line: shell("exit 0", { env }) });
    await session.exit(1);
    const files = readdirSync(session.spool).map((name) => readFileSync(join(session.spool, name)));
    expect(Buffer.concat(files).includes("TOKEN")).toBe(true);
    expect(Buffer.concat(files).includes("hunter2")).toBe(false);
  });

  test("that cannot be started has been launched, and has ended with the reason", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    keeper.take({ do: "launch", id: "1", line: shell("", { program: "no-such-program" }) });
    keeper.take({ do: "launch", id: "2", line: shell("", { cwd: "/no/such/folder" }) });
    keeper.take({ do: "launch", id: "3", line: shell("a\0b") });
    expect(await session.exit(1)).toEqual({ code: null, signal: null, error: "spawn no-such-program ENOENT" });
    expect((await session.exit(2)).error).toBe("The folder /no/such/folder does not exist.");
    expect((await session.exit(3)).error).toMatch(/null bytes/);
  });

  test("without an input finds it at its end", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    keeper.take({ do: "launch", id: "l", line: shell("cat; echo end", { stdin: "none" }) });
    await session.exit(1);
    expect(session.text("out")).toBe("end\n");
  });

  test("sees its input end when we hang up", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    keeper.take({ do: "launch", id: "l", line: shell("cat; exit 3") });
    keeper.take({ do: "say", id: "s", text: "some" });
    keeper.take({ do: "hangup", id: "h" });
    expect(await session.exit(1)).toEqual({ code: 3, signal: null });
    expect(session.text("out")).toBe("some");
  });

  test("gets a signal, and its exit says so", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    keeper.take({ do: "launch", id: "l", line: shell("exec sleep 100") });
    keeper.take({ do: "signal", id: "s", signal: "SIGINT" });
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGINT" });
    expect(session.text("signal")).toBe("SIGINT");
  });

  test("that no longer listens breaks nothing", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
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

/** Leaves its parent, group and session, ignores SIGTERM, and says where it is. If we fail, it ends after 20 seconds. */
const escapee = (file: string): string =>
  `(setsid sh -c 'trap "" TERM HUP; echo $$ >${file}; for n in $(seq 200); do sleep 0.1; done' >/dev/null 2>&1 &) ; `;

describe("nothing is left", () => {
  test(
    "after a kill: not a double-forked child in another session that ignores SIGTERM",
    { timeout: 15_000 },
    async () => {
      using session = new SessionForTest();
      await using keeper = new Keeper(session.folder);
      const file = join(session.folder, "escapee");
      keeper.take({ do: "launch", id: "l", line: shell(`${escapee(file)} trap "" TERM; while :; do sleep 0.1; done`) });
      const pid = await pidIn(file);
      expect(identity(pid)).not.toBeNull();
      keeper.take({ do: "kill", id: "k" });
      expect(await session.exit(1)).toEqual({ code: null, signal: "SIGKILL" });
      expect(identity(pid)).toBeNull();
    },
  );

  test("after a process ends by itself", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    const file = join(session.folder, "escapee");
    keeper.take({ do: "launch", id: "l", line: shell(`${escapee(file)} while ! test -s ${file}; do :; done; exit 5`) });
    expect(await session.exit(1)).toEqual({ code: 5, signal: null });
    expect(identity(await pidIn(file))).toBeNull();
  });

  test("but what another process of the same session has started stays", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    const file = join(session.folder, "escapee");
    keeper.take({ do: "launch", id: "1", line: shell(`${escapee(file)} cat`) });
    const pid = await pidIn(file);
    keeper.take({ do: "launch", id: "2", line: shell("exec sleep 100") });
    keeper.take({ do: "kill", id: "k" });
    expect(await session.exit(2)).toEqual({ code: null, signal: "SIGTERM" });
    expect(identity(pid)).not.toBeNull();
  });

  test("and a grandchild that holds the pipe delays the exit only a little", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder);
    const started = performance.now();
    keeper.take({ do: "launch", id: "l", line: shell("sleep 100 & echo early; exit 0") });
    await session.exit(1);
    expect(performance.now() - started).toBeLessThan(3000);
    expect(session.text("out")).toBe("early\n");
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
