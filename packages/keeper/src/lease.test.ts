import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { connectKeeper } from "./client.ts";
import { FrameRefused } from "./frame-refused.ts";
import { KeeperForTest } from "./keeper-for-test.ts";
import { Keeper } from "./keeper.ts";
import { Lease } from "./lease.ts";
import { identity } from "./process-identity.ts";
import { SessionForTest, shell, until } from "./session-for-test.ts";

describe("a lease", () => {
  test("ends when nobody has attended for its whole duration, and not before", async () => {
    let ended = 0;
    using lease = new Lease(100, () => (ended = performance.now()));
    let last = performance.now();
    {
      using _ = lease.attend();
      using __ = lease.attend();
      await delay(250);
      expect(ended).toBe(0);
      last = performance.now();
    }
    for (let n = 0; n < 5; n++) {
      await delay(40);
      lease.renew();
      last = performance.now();
    }
    expect(ended).toBe(0);
    await until(() => ended > 0);
    expect(ended - last).toBeGreaterThanOrEqual(99);
  });

  test("that was given up does not end", async () => {
    let ended = false;
    {
      using _ = new Lease(20, () => (ended = true));
    }
    await delay(60);
    expect(ended).toBe(false);
  });
});

describe("a keeper whom nobody attends", () => {
  test("leaves, when nothing runs", async () => {
    using session = new SessionForTest();
    const keeper = new Keeper(session.folder, { lease: 50 });
    await keeper.left;
    expect(() => keeper.take({ do: "note", id: "n", text: "" })).toThrow(FrameRefused);
  });

  test("goes on as long as its agent says something, then hangs up and leaves", async () => {
    using session = new SessionForTest();
    const keeper = new Keeper(session.folder, { lease: 300 });
    const script = "for n in 1 2 3 4 5 6 7 8; do echo $n; sleep 0.1; done; cat; echo end; exit 4";
    keeper.take({ do: "launch", id: "l", line: shell(script) });
    await keeper.left;
    expect(session.text("out")).toBe("1\n2\n3\n4\n5\n6\n7\n8\nend\n");
    const told = session.records().filter((record) => record.kind === "hangup");
    expect(told.map((record) => [record.id, record.process])).toEqual([["lease", 1]]);
    expect(await session.exit(1)).toEqual({ code: 4, signal: null });
  });

  test("ends an agent that does not care", async () => {
    using session = new SessionForTest();
    const keeper = new Keeper(session.folder, { lease: 50, leaseGrace: 100 });
    keeper.take({ do: "launch", id: "l", line: shell("exec sleep 100") });
    await keeper.left;
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGTERM" });
    expect(session.records().map((record) => record.kind)).toEqual(["launch", "hangup", "exit"]);
  });

  test("cannot be called back once it has begun to wind down", async () => {
    using session = new SessionForTest();
    const keeper = new Keeper(session.folder, { lease: 50, leaseGrace: 400 });
    keeper.take({ do: "launch", id: "l", line: shell("exec sleep 100") });
    await until(() => session.text("launch") !== "" && session.records().some((record) => record.kind === "hangup"));
    using _ = keeper.attend();
    expect(() => keeper.take({ do: "launch", id: "l2", line: shell("") })).toThrow(FrameRefused);
    await keeper.left;
  });
});

describe("a keeper's process", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("stays while a client is connected, and leaves when it has been gone for the lease", async () => {
    vi.stubEnv("FAIRLEAD_LEASE_MS", "300");
    await using session = new KeeperForTest();
    const { pid } = await (async () => {
      await using connection = await session.start();
      await delay(700);
      await connection.send({ do: "note", id: "n", text: "still there" });
      return connection.hello;
    })();
    await using again = await connectKeeper(session.folder);
    await delay(500);
    expect(identity(pid)).not.toBeNull();
    await again[Symbol.asyncDispose]();
    await until(() => identity(pid) === null, 3000);
  });
});
