import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { KeeperConnection } from "./client.ts";
import { FaultyDisk } from "./faulty-disk-for-test.ts";
import { FrameRefused } from "./frame-refused.ts";
import { KeeperForTest } from "./keeper-for-test.ts";
import { Keeper } from "./keeper.ts";
import { identity } from "./process-identity.ts";
import { SessionForTest, shell, until } from "./session-for-test.ts";

/** Counts upwards on its output, as fast as it can. */
const count = (upTo: number): string => `seq ${upTo}; echo done >&2`;
const counted = (upTo: number): string => Array.from({ length: upTo }, (_, index) => `${index + 1}\n`).join("");

async function settled(look: () => number): Promise<number> {
  for (let before = -1, now = look(); ; before = now, now = look()) {
    if (before === now) return now;
    await delay(300);
  }
}

describe.each(["ENOSPC", "EIO", "EDQUOT"])("while a disk fails with %s", (code) => {
  test("the agent waits and frames are refused; then nothing is missing and nothing is there twice", async () => {
    using session = new SessionForTest();
    const disk = new FaultyDisk();
    await using keeper = new Keeper(session.folder, { disk, segmentBytes: 100_000 });
    keeper.take({ do: "launch", id: "l", line: shell(`read go; ${count(200_000)}; exit 3`) });
    keeper.take({ do: "say", id: "go", text: "go\n" });
    await until(() => session.text("out") !== "");
    for (let round = 0; round < 4; round++) {
      disk.arrives = [0, 0.1, 0.9, 1][round] ?? 0;
      disk.cannotCut = round % 2 === 1;
      disk.failing = code;
      const { failures } = disk;
      expect(() => keeper.take({ do: "note", id: `n${round}`, text: "refused" })).toThrow(FrameRefused);
      await until(() => disk.failures > failures + 1);
      disk.failing = null;
      expect(keeper.take({ do: "note", id: `n${round}`, text: "taken" }).duplicate).toBe(false);
      await delay(20);
    }
    expect(await session.exit(1)).toEqual({ code: 3, signal: null });
    expect(session.text("out")).toBe(counted(200_000));
    expect(session.text("err")).toBe("done\n");
    expect(session.text("note")).toBe("taken".repeat(4));
  });
});

test("a keeper says how far its spool holds, and nothing while the disk does not say", async () => {
  using session = new SessionForTest();
  const disk = new FaultyDisk();
  await using keeper = new Keeper(session.folder, { disk });
  keeper.take({ do: "note", id: "1", text: "" });
  expect(keeper.sync()).toBe(1);
  keeper.take({ do: "note", id: "2", text: "" });
  disk.failing = "EIO";
  expect(keeper.sync()).toBeUndefined();
  disk.failing = null;
  expect(keeper.sync()).toBe(2);
  keeper.take({ do: "note", id: "3", text: "" });
  keeper.take({ do: "leave", id: "bye" });
  expect(keeper.sync()).toBeUndefined();
});

test("an exit waits for the disk, after all that was said before it, and is written once", async () => {
  using session = new SessionForTest();
  const disk = new FaultyDisk();
  await using keeper = new Keeper(session.folder, { disk });
  keeper.take({ do: "launch", id: "l", line: shell(`read go; ${count(8000)}; exit 3`) });
  keeper.take({ do: "say", id: "go", text: "go\n" });
  disk.failing = "ENOSPC";
  await delay(1500); // longer than anybody waits for a pipe to end
  expect(disk.failures).toBeGreaterThan(3);
  expect(session.text("exit")).toBe("");
  disk.failing = null;
  await session.exit(1);
  expect(session.text("out")).toBe(counted(8000));
  expect(session.records().filter((record) => record.kind === "exit").length).toBe(1);
});

/** A session on a file system of 512 KiB. Mounting takes root; without it these tests fail, as they should. */
class SmallSession extends KeeperForTest {
  constructor() {
    super();
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs", this.folder]);
    if (mounted.status !== 0) throw new Error(`These tests need root, to mount: ${mounted.stderr.toString()}`);
  }

  /** Leaves no room for anything. */
  fill(): void {
    for (const size of [65_536, 4096]) {
      for (let n = 0; ; n++) {
        try {
          writeFileSync(join(this.folder, `ballast-${size}-${n}`), Buffer.alloc(size));
        } catch {
          break;
        }
      }
    }
  }

  empty(): void {
    for (const name of readdirSync(this.folder)) if (name.startsWith("ballast")) rmSync(join(this.folder, name));
  }

  override [Symbol.dispose](): void {
    spawnSync("umount", ["--lazy", this.folder]);
    super[Symbol.dispose]();
  }
}

const refused = async (keeper: KeeperConnection): Promise<string> => {
  const text = "x".repeat(10_000);
  const answer = await keeper.send({ do: "note", id: `full ${Math.random()}`, text }).catch((error: unknown) => error);
  return answer instanceof FrameRefused ? answer.message : "";
};

describe("on a file system that is full", () => {
  test("the agent lives and waits, and goes on when there is room, with nothing lost or doubled", async () => {
    await using session = new SmallSession();
    await using keeper = await session.start();
    await keeper.send({ do: "launch", id: "l", line: shell(`read go; ${count(40_000)}; exec cat`) });
    await until(() => existsSync(join(session.folder, "reserve")));
    await keeper.send({ do: "say", id: "go", text: "go\n" });
    session.fill();
    const stopped = await settled(() => session.text("out").length);
    expect(stopped).toBeLessThan(counted(40_000).length);
    expect(await refused(keeper)).toBe("The disk is full.");
    expect(identity(keeper.hello.pid)).not.toBeNull();
    session.empty();
    await until(() => session.text("err") === "done\n");
    expect(session.text("out")).toBe(counted(40_000));
    await keeper.send({ do: "note", id: "room", text: "again" });
    await keeper.send({ do: "hangup", id: "h" });
    expect(await session.exit(1)).toEqual({ code: 0, signal: null });
  });

  test("an agent can be killed, and its exit is recorded, out of the reserve", async () => {
    await using session = new SmallSession();
    await using keeper = await session.start();
    await keeper.send({ do: "launch", id: "l", line: shell("exec sleep 100") });
    expect(statSync(join(session.folder, "reserve")).size).toBe(65_536);
    session.fill();
    // The last page of the spool has room for small records, until it has not.
    for (let n = 0; (await refused(keeper)) === ""; n++) expect(n).toBeLessThan(100);
    for (let n = 0; n < 100; n++) await keeper.send({ do: "note", id: `small ${n}`, text: "" }).catch(() => {});
    await expect(keeper.send({ do: "note", id: "no room", text: "" })).rejects.toThrow("The disk is full.");
    await keeper.send({ do: "kill", id: "k" });
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGTERM" });
    expect(existsSync(join(session.folder, "reserve"))).toBe(false);
  });
});
