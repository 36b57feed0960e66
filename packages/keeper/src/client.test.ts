import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectKeeper, type KeeperConnection } from "./client.ts";
import { findKeeper } from "./find-keeper.ts";
import { FrameRefused } from "./frame-refused.ts";
import { KeeperForTest } from "./keeper-for-test.ts";
import { KeeperGone } from "./keeper-gone.ts";
import { identity } from "./process-identity.ts";
import { processesWith, shell, until } from "./session-for-test.ts";
import { startKeeper } from "./start-keeper.ts";

async function latest(connection: KeeperConnection, wanted: number): Promise<number> {
  for await (const seq of connection.wakes) if (seq >= wanted) return seq;
  throw new Error("The connection ended.");
}

describe("a keeper's process", () => {
  test("is started, found, woken by and left, and cleans up behind itself", async () => {
    await using session = new KeeperForTest();
    await using first = await session.start();
    expect(first.hello).toEqual({
      hello: "fairlead-keeper/1",
      pid: first.hello.pid,
      since: 0,
      lastSeq: 0,
      features: ["trim", "lease", "adopt", "terminal"],
    });
    const known: unknown = JSON.parse(readFileSync(join(session.folder, "keeper.json"), "utf8"));
    expect(known).toEqual({ ...identity(first.hello.pid), protocol: 1 });

    const found = await findKeeper(session.folder);
    if (found === "gone") throw new Error("The keeper is gone.");
    await using second = found;
    expect(await first.send({ do: "note", id: "n", text: "hello" })).toMatchObject({ seq: 1, duplicate: false });
    expect(await second.send({ do: "note", id: "n", text: "hello" })).toMatchObject({ seq: 1, duplicate: true });
    await first.send({ do: "launch", id: "l", line: shell("echo out") });
    await session.exit(1);
    expect(await Promise.all([latest(first, 4), latest(second, 4)])).toEqual([4, 4]);
    expect([first.synced, second.synced]).toEqual([4, 4]);

    await second.send({ do: "leave", id: "bye" });
    await Promise.all([first.closed, second.closed]);
    await until(() => identity(first.hello.pid) === null);
    expect(readdirSync(session.folder)).toEqual(["spool"]);
    expect(await findKeeper(session.folder)).toBe("gone");
    await expect(first.send({ do: "note", id: "late", text: "" })).rejects.toThrow(KeeperGone);
  });

  test("refuses in order, and goes on", async () => {
    await using session = new KeeperForTest();
    await using connection = await session.start();
    const answers = await Promise.allSettled([
      connection.send({ do: "note", id: "1", text: "" }),
      connection.send({ do: "say", id: "2", text: "" }),
      connection.send({ do: "note", id: "3", text: "" }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(answers[1]).toMatchObject({ reason: expect.any(FrameRefused), status: "rejected" });
  });

  test("does not mind a client that is killed in the middle of a frame", async () => {
    await using session = new KeeperForTest();
    await using connection = await session.start();
    await connection.send({ do: "launch", id: "l", line: shell("while read line; do echo got $line; done") });
    const program = `const socket = require("node:net").connect(process.argv[1], () => {
      socket.write('{"do":"say","id":"whole","text":"whole\\\\n"}\\n{"do":"say","id":"half","text":"' + "x".repeat(200000),
        () => console.log("written"));
    }); socket.resume();`;
    const stdio = ["ignore", "pipe", "inherit"] as const;
    const client = spawn(process.execPath, ["-e", program, join(session.folder, "keeper.sock")], { stdio: [...stdio] });
    await once(client.stdout, "data");
    client.kill("SIGKILL");
    await once(client, "exit");
    await until(() => session.text("out") === "got whole\n");
    expect(await connection.send({ do: "say", id: "whole", text: "whole\n" })).toMatchObject({ duplicate: true });
    expect(await connection.send({ do: "say", id: "half", text: "half\n" })).toMatchObject({ duplicate: false });
    await until(() => session.text("out") === "got whole\ngot half\n");
    expect(session.text("exit")).toBe("");
  });

  test("ignores SIGHUP and SIGINT, and on SIGTERM ends its agent and itself", async () => {
    await using session = new KeeperForTest();
    await using connection = await session.start();
    const { pid } = connection.hello;
    const word = randomUUID();
    await connection.send({ do: "launch", id: "l", line: shell(`: ${word}; echo ready; sleep 100`) });
    await until(() => session.text("out") === "ready\n");
    process.kill(pid, "SIGHUP");
    process.kill(pid, "SIGINT");
    await connection.send({ do: "note", id: "still there", text: "" });
    process.kill(pid, "SIGTERM");
    await connection.closed;
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGTERM" });
    expect(processesWith(word)).toEqual([]);
    await until(() => identity(pid) === null);
    expect(existsSync(join(session.folder, "keeper.json"))).toBe(false);
  });

  test("that was killed is gone, and the next one continues its spool", async () => {
    await using session = new KeeperForTest();
    const killed = await session.start();
    await killed.send({ do: "note", id: "n", text: "first" });
    const waiting = killed.send({ do: "note", id: "maybe", text: "x".repeat(10_000_000) });
    process.kill(killed.hello.pid, "SIGKILL");
    await expect(waiting).rejects.toThrow(KeeperGone);
    await until(() => identity(killed.hello.pid) === null);
    expect(await findKeeper(session.folder)).toBe("gone");
    await using next = await session.start();
    expect(await next.send({ do: "note", id: "n", text: "first" })).toMatchObject({ seq: 1, duplicate: true });
  });

  test("is alone in its folder", async () => {
    await using session = new KeeperForTest();
    await using connection = await session.start();
    await expect(startKeeper(session.folder)).rejects.toThrow("another keeper holds this folder");
    await connection.send({ do: "note", id: "still there", text: "" });
  });

  test("says why it could not start", async () => {
    await using session = new KeeperForTest();
    const first = await session.start();
    await first.send({ do: "leave", id: "bye" });
    await first.closed;
    await until(() => identity(first.hello.pid) === null);
    writeFileSync(join(session.spool, "000000000001.spool"), "no spool at all, but long enough");
    await expect(startKeeper(session.folder)).rejects.toThrow("the spool is damaged");
  });

  test("answers nonsense with a refusal", async () => {
    await using session = new KeeperForTest();
    await using _ = await session.start();
    const socket = connect(join(session.folder, "keeper.sock"));
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.write('nonsense\n{"do":"dance","id":"d"}\n');
    await until(() => text.split("\n").length === 4);
    expect(
      text
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { error: null, message: "A frame is one line of JSON." },
      { error: "d", message: 'This keeper cannot do "dance".' },
    ]);
    socket.destroy();
  });
});

test("a path too long for a socket is refused at once", async () => {
  const folder = `/tmp/${"long/".repeat(25)}`;
  await expect(startKeeper(folder)).rejects.toThrow(/may have 103 bytes/);
  await expect(connectKeeper(folder)).rejects.toThrow(/shorter path/);
  expect(existsSync(folder)).toBe(false);
});

test("an aborted signal ends a connection", async () => {
  await using session = new KeeperForTest();
  await using _ = await session.start();
  const abort = new AbortController();
  await using connection = await connectKeeper(session.folder, { signal: abort.signal });
  abort.abort();
  await connection.closed;
  await expect(connectKeeper(session.folder, { signal: abort.signal })).rejects.toThrow();
});
