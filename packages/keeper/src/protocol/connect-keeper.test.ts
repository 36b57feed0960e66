import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectKeeper, type KeeperConnection } from "./connect-keeper.ts";
import { findKeeper } from "../find-keeper.ts";
import { RequestRejected } from "./request-rejected.ts";
import { TestKeeper } from "@fairlead/testing/keeper/test-keeper.ts";
import { KeeperGone } from "./keeper-gone.ts";
import { KeeperUnresponsive } from "./keeper-unresponsive.ts";
import { readProcessIdentity } from "../process/process-identity.ts";
import { findProcessesByWord, shellCommand, until } from "@fairlead/testing/keeper/test-session-folder.ts";
import { startKeeper } from "../start-keeper.ts";

async function waitForSeq(connection: KeeperConnection, minSeq: number): Promise<number> {
  for await (const seq of connection.wakes) if (seq >= minSeq) return seq;
  throw new Error("The connection ended.");
}

describe("a keeper process", () => {
  test("starts, is found, reports new records, and removes its files when it leaves", async () => {
    await using session = new TestKeeper();
    await using first = await session.start();
    expect(first.hello).toEqual({
      hello: "fairlead-keeper/1",
      pid: first.hello.pid,
      startSeq: 0,
      lastSeq: 0,
      features: [
        "trim",
        "lease",
        "adopt",
        "terminal",
        "secrets",
        "sandbox",
        "masks",
        "gate",
        "prepare-gate",
        "input-secrets",
        "attend",
      ],
    });
    const identity: unknown = JSON.parse(readFileSync(join(session.folder, "keeper.json"), "utf8"));
    expect(identity).toEqual({ ...readProcessIdentity(first.hello.pid), protocol: 1 });

    const found = await findKeeper(session.folder);
    if (found === "gone") throw new Error("The keeper is gone.");
    await using second = found;
    expect(await first.send({ do: "note", id: "n", text: "hello" })).toMatchObject({ seq: 1, duplicate: false });
    expect(await second.send({ do: "note", id: "n", text: "hello" })).toMatchObject({ seq: 1, duplicate: true });
    await first.send({ do: "launch", id: "l", command: shellCommand("echo out") });
    await session.exit(1);
    expect(await Promise.all([waitForSeq(first, 4), waitForSeq(second, 4)])).toEqual([4, 4]);
    expect([first.syncedSeq, second.syncedSeq]).toEqual([4, 4]);

    await second.send({ do: "leave", id: "bye" });
    await Promise.all([first.closed, second.closed]);
    await until(() => readProcessIdentity(first.hello.pid) === null);
    expect(readdirSync(session.folder)).toEqual(["spool"]);
    expect(await findKeeper(session.folder)).toBe("gone");
    await expect(first.send({ do: "note", id: "late", text: "" })).rejects.toThrow(KeeperGone);
  });

  test("replies in order, and stays usable after a rejection", async () => {
    await using session = new TestKeeper();
    await using connection = await session.start();
    const results = await Promise.allSettled([
      connection.send({ do: "note", id: "1", text: "" }),
      connection.send({ do: "write", id: "2", text: "" }),
      connection.send({ do: "note", id: "3", text: "" }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: expect.any(RequestRejected), status: "rejected" });
  });

  test("survives a client that is killed in the middle of a request", async () => {
    await using session = new TestKeeper();
    await using connection = await session.start();
    await connection.send({ do: "launch", id: "l", command: shellCommand("while read line; do echo got $line; done") });
    // it writes after the hello: a keeper whose hello cannot be delivered drops the connection and its requests
    const program = `const socket = require("node:net").connect(process.argv[1]).once("data", () => {
      socket.write('{"do":"write","id":"whole","text":"whole\\\\n"}\\n{"do":"write","id":"half","text":"' + "x".repeat(200000),
        () => console.log("written"));
    }); socket.resume();`;
    const stdio = ["ignore", "pipe", "inherit"] as const;
    const client = spawn(process.execPath, ["-e", program, join(session.folder, "keeper.sock")], { stdio: [...stdio] });
    await once(client.stdout, "data");
    client.kill("SIGKILL");
    await once(client, "exit");
    await until(() => session.text("out") === "got whole\n");
    expect(await connection.send({ do: "write", id: "whole", text: "whole\n" })).toMatchObject({ duplicate: true });
    expect(await connection.send({ do: "write", id: "half", text: "half\n" })).toMatchObject({ duplicate: false });
    await until(() => session.text("out") === "got whole\ngot half\n");
    expect(session.text("exit")).toBe("");
  });

  test("ignores SIGHUP and SIGINT, and ends its agent and itself on SIGTERM", async () => {
    await using session = new TestKeeper();
    await using connection = await session.start();
    const { pid } = connection.hello;
    const word = randomUUID();
    await connection.send({ do: "launch", id: "l", command: shellCommand(`: ${word}; echo ready; sleep 100`) });
    await until(() => session.text("out") === "ready\n");
    process.kill(pid, "SIGHUP");
    process.kill(pid, "SIGINT");
    await connection.send({ do: "note", id: "still there", text: "" });
    process.kill(pid, "SIGTERM");
    await connection.closed;
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGTERM" });
    expect(findProcessesByWord(word)).toEqual([]);
    await until(() => readProcessIdentity(pid) === null);
    expect(existsSync(join(session.folder, "keeper.json"))).toBe(false);
  });

  test("that was killed is reported as gone, and the next one continues its spool", async () => {
    await using session = new TestKeeper();
    const killed = await session.start();
    await killed.send({ do: "note", id: "n", text: "first" });
    const pending = killed.send({ do: "note", id: "maybe", text: "x".repeat(10_000_000) });
    process.kill(killed.hello.pid, "SIGKILL");
    await expect(pending).rejects.toThrow(KeeperGone);
    await until(() => readProcessIdentity(killed.hello.pid) === null);
    expect(await findKeeper(session.folder)).toBe("gone");
    await using next = await session.start();
    expect(await next.send({ do: "note", id: "n", text: "first" })).toMatchObject({ seq: 1, duplicate: true });
  });

  test("is the only one in its folder", async () => {
    await using session = new TestKeeper();
    await using connection = await session.start();
    await expect(startKeeper(session.folder)).rejects.toThrow("another keeper runs in this folder");
    await connection.send({ do: "note", id: "still there", text: "" });
  });

  test("reports why it could not start", async () => {
    await using session = new TestKeeper();
    const first = await session.start();
    await first.send({ do: "leave", id: "bye" });
    await first.closed;
    await until(() => readProcessIdentity(first.hello.pid) === null);
    writeFileSync(join(session.spool, "000000000001.spool"), "not a spool, but longer than a header");
    await expect(startKeeper(session.folder)).rejects.toThrow("the spool is damaged");
  });

  test("rejects lines that are not valid requests", async () => {
    await using session = new TestKeeper();
    await using _ = await session.start();
    const socket = connect(join(session.folder, "keeper.sock"));
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.write('not JSON\n{"do":"dance","id":"d"}\n');
    await until(() => text.split("\n").length === 4);
    expect(
      text
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { error: null, message: "The request is not valid JSON." },
      { error: "d", message: 'This keeper does not know the request "dance".' },
    ]);
    socket.destroy();
  });
});

test("rejects a path that is too long for a socket before it starts anything", async () => {
  const folder = `/tmp/${"long/".repeat(25)}`;
  await expect(startKeeper(folder)).rejects.toThrow(/the limit is 103/);
  await expect(connectKeeper(folder)).rejects.toThrow(/shorter path/);
  expect(existsSync(folder)).toBe(false);
});

test("an aborted signal closes a connection", async () => {
  await using session = new TestKeeper();
  await using _ = await session.start();
  const abort = new AbortController();
  await using connection = await connectKeeper(session.folder, { signal: abort.signal });
  abort.abort();
  await connection.closed;
  await expect(connectKeeper(session.folder, { signal: abort.signal })).rejects.toThrow();
});

describe("a keeper that does not respond", () => {
  test("fails the greeting and every request in time, and a later connection works once it responds again", async () => {
    await using session = new TestKeeper();
    const { hello } = await session.start();
    await using connection = await connectKeeper(session.folder, { timeoutMs: 200 });
    const wakes = (async () => {
      for await (const _ of connection.wakes);
    })();
    process.kill(hello.pid, "SIGSTOP");
    const requests = ["1", "2"].map((id) => connection.send({ do: "note", id, text: "" }));
    for (const request of requests) await expect(request).rejects.toThrow(KeeperUnresponsive);
    await expect(wakes).rejects.toThrow("does not respond");
    await expect(connection.send({ do: "note", id: "3", text: "" })).rejects.toThrow(KeeperUnresponsive);
    await expect(connectKeeper(session.folder, { timeoutMs: 200 })).rejects.toThrow(KeeperUnresponsive);
    await expect(findKeeper(session.folder, { timeoutMs: 200 })).rejects.toThrow(KeeperUnresponsive);
    process.kill(hello.pid, "SIGCONT");
    await using next = await connectKeeper(session.folder);
    expect(await next.send({ do: "note", id: "1", text: "" })).toMatchObject({ seq: 1 });
  });

  test("is not assumed while this process was busy and the answer waits in the socket", async () => {
    await using session = new TestKeeper();
    await using _keeper = await session.start();
    await using connection = await connectKeeper(session.folder, { timeoutMs: 50 });
    const request = connection.send({ do: "note", id: "1", text: "" });
    await new Promise((resolve) => setImmediate(resolve));
    for (const end = performance.now() + 500; performance.now() < end;);
    expect(await request).toMatchObject({ seq: 1 });
    await new Promise((resolve) => setTimeout(resolve, 150)); // an idle connection has no deadline
    expect(await connection.send({ do: "note", id: "2", text: "" })).toMatchObject({ seq: 2 });
  });
});
