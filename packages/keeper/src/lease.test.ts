import { afterEach, describe, expect, test, vi } from "vitest";
import { connectKeeper } from "./protocol/connect-keeper.ts";
import { RequestRejected } from "./protocol/request-rejected.ts";
import { ManualClock } from "@fairlead/testing/keeper/manual-clock.ts";
import { TestKeeper } from "@fairlead/testing/keeper/test-keeper.ts";
import { Keeper } from "./keeper.ts";
import { Lease } from "./lease.ts";
import { readProcessIdentity } from "./process/process-identity.ts";
import { TestSessionFolder, shellCommand, until } from "@fairlead/testing/keeper/test-session-folder.ts";

const recordsStdinClosed = (session: TestSessionFolder): boolean =>
  session.records().some(({ kind }) => kind === "stdin-closed");

describe("Lease", () => {
  test("expires once, after its whole duration without a holder and without activity", () => {
    const clock = new ManualClock();
    let expirations = 0;
    using lease = new Lease(100, () => expirations++, clock);
    {
      using _ = lease.acquire();
      using __ = lease.acquire();
      clock.advance(250);
    }
    for (let n = 0; n < 5; n++) {
      clock.advance(40);
      lease.renew();
    }
    clock.advance(99);
    expect(expirations).toBe(0);
    clock.advance(1);
    expect(expirations).toBe(1);
    clock.advance(1000);
    expect(expirations).toBe(1);
  });

  test("does not expire after it is disposed", () => {
    const clock = new ManualClock();
    let expirations = 0;
    {
      using _ = new Lease(20, () => expirations++, clock);
    }
    clock.advance(60);
    expect(expirations).toBe(0);
  });
});

describe("a keeper without clients", () => {
  test("leaves when its lease expires and no process runs", async () => {
    using session = new TestSessionFolder();
    const clock = new ManualClock();
    const keeper = new Keeper(session.folder, { leaseMs: 50, clock });
    clock.advance(50);
    await keeper.whenLeft;
    expect(() => keeper.handle({ do: "note", id: "n", text: "" })).toThrow(RequestRejected);
  });

  test("stays while its agent prints, then closes the agent's stdin and leaves", async () => {
    using session = new TestSessionFolder();
    const clock = new ManualClock();
    const keeper = new Keeper(session.folder, { leaseMs: 300, clock });
    const script = "while read line; do echo $line; done; echo end; exit 4";
    keeper.handle({ do: "launch", id: "l", command: shellCommand(script) });
    for (let n = 1; n <= 4; n++) {
      keeper.handle({ do: "write", id: `w${n}`, text: `${n}\n` });
      await until(() => session.text("out").endsWith(`${n}\n`));
      clock.advance(200);
    }
    expect(recordsStdinClosed(session)).toBe(false);
    clock.advance(100);
    await keeper.whenLeft;
    expect(session.text("out")).toBe("1\n2\n3\n4\nend\n");
    const closings = session.records().filter(({ kind }) => kind === "stdin-closed");
    expect(closings.map(({ id, process }) => [id, process])).toEqual([["lease", 1]]);
    expect(await session.exit(1)).toEqual({ code: 4, signal: null });
  });

  test("kills an agent that does not exit within the grace period", async () => {
    using session = new TestSessionFolder();
    const clock = new ManualClock();
    const keeper = new Keeper(session.folder, { leaseMs: 50, leaseGraceMs: 100, clock });
    keeper.handle({ do: "launch", id: "l", command: shellCommand("exec sleep 100") });
    clock.advance(50);
    expect(recordsStdinClosed(session)).toBe(true);
    clock.advance(100);
    await keeper.whenLeft;
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGTERM" });
    expect(session.records().map((record) => record.kind)).toEqual(["launch", "stdin-closed", "exit"]);
  });

  test("accepts no launch once its lease has expired, even if a client connects", async () => {
    using session = new TestSessionFolder();
    const clock = new ManualClock();
    const keeper = new Keeper(session.folder, { leaseMs: 50, leaseGraceMs: 400, clock });
    keeper.handle({ do: "launch", id: "l", command: shellCommand("exec sleep 100") });
    clock.advance(50);
    expect(recordsStdinClosed(session)).toBe(true);
    using _ = keeper.acquireLease();
    expect(() => keeper.handle({ do: "launch", id: "l2", command: shellCommand("") })).toThrow(RequestRejected);
    clock.advance(400);
    await keeper.whenLeft;
  });
});

describe("a keeper process", () => {
  afterEach(() => vi.unstubAllEnvs());

  /** Waits until a keeper without clients, started now with the same lease, has exited: the lease has then passed. */
  async function waitForLease(): Promise<void> {
    await using session = new TestKeeper();
    const connection = await session.start();
    await connection[Symbol.asyncDispose]();
    await until(() => readProcessIdentity(connection.hello.pid) === null);
  }

  test("stays while a client is connected, and exits one lease after the last client has disconnected", async () => {
    vi.stubEnv("FAIRLEAD_LEASE_MS", "300");
    await using session = new TestKeeper();
    await using first = await session.start();
    const { pid } = first.hello;
    await waitForLease();
    await first.send({ do: "note", id: "n", text: "still connected" });
    await using second = await connectKeeper(session.folder);
    await first[Symbol.asyncDispose]();
    await waitForLease();
    expect(readProcessIdentity(pid)).not.toBeNull();
    await second[Symbol.asyncDispose]();
    await until(() => readProcessIdentity(pid) === null, 3000);
  });
});
