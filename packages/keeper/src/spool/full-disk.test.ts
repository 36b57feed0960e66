import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KeeperConnection } from "../protocol/connect-keeper.ts";
import { ManualClock } from "@fairlead/testing/keeper/manual-clock.ts";
import { FaultyDisk } from "@fairlead/testing/keeper/faulty-disk.ts";
import { RequestRejected } from "../protocol/request-rejected.ts";
import { TestKeeper } from "@fairlead/testing/keeper/test-keeper.ts";
import { Keeper } from "../keeper.ts";
import { readProcessIdentity } from "../process/process-identity.ts";
import { TestSessionFolder, shellCommand, until } from "@fairlead/testing/keeper/test-session-folder.ts";

/** Prints the numbers from 1, as fast as it can. */
const countScript = (upTo: number): string => `seq ${upTo}; echo done >&2`;
const countedOutput = (upTo: number): string => Array.from({ length: upTo }, (_, index) => `${index + 1}\n`).join("");

describe.each(["ENOSPC", "EIO", "EDQUOT"])("while the disk fails with %s", (code) => {
  test("output is queued and requests are rejected; afterwards no output is missing or duplicated", async () => {
    using session = new TestSessionFolder();
    const disk = new FaultyDisk();
    const clock = new ManualClock();
    await using keeper = new Keeper(session.folder, { disk, segmentBytes: 100_000, clock });
    const script = "while read line; do seq 50000; done; echo done >&2; exit 3";
    keeper.handle({ do: "launch", id: "l", command: shellCommand(script) });
    for (let round = 0; round < 4; round++) {
      keeper.handle({ do: "write", id: `go${round}`, text: "\n" });
      disk.writtenFraction = [0, 0.1, 0.9, 1][round] ?? 0;
      disk.truncateFails = round % 2 === 1;
      disk.errorCode = code;
      expect(() => keeper.handle({ do: "note", id: `n${round}`, text: "rejected" })).toThrow(RequestRejected);
      const { failures } = disk;
      // The first failure is the output of the agent. The next one is a retry.
      await until(() => {
        clock.advance(200);
        return disk.failures > failures + 1;
      });
      disk.errorCode = null;
      expect(keeper.handle({ do: "note", id: `n${round}`, text: "accepted" }).duplicate).toBe(false);
      clock.advance(200);
      const length = countedOutput(50_000).length * (round + 1);
      await until(() => session.text("out").length >= length);
    }
    keeper.handle({ do: "close-stdin", id: "h" });
    expect(await session.exit(1)).toEqual({ code: 3, signal: null });
    expect(session.text("out")).toBe(countedOutput(50_000).repeat(4));
    expect(session.text("err")).toBe("done\n");
    expect(session.text("note")).toBe("accepted".repeat(4));
  });
});

test("sync returns the last record, and undefined while the disk fails and after the keeper has left", async () => {
  using session = new TestSessionFolder();
  const disk = new FaultyDisk();
  await using keeper = new Keeper(session.folder, { disk });
  keeper.handle({ do: "note", id: "1", text: "" });
  expect(keeper.sync()).toBe(1);
  keeper.handle({ do: "note", id: "2", text: "" });
  disk.errorCode = "EIO";
  expect(keeper.sync()).toBeUndefined();
  disk.errorCode = null;
  expect(keeper.sync()).toBe(2);
  keeper.handle({ do: "note", id: "3", text: "" });
  keeper.handle({ do: "leave", id: "bye" });
  expect(keeper.sync()).toBeUndefined();
});

test("an exit waits for the disk, follows all output, and is recorded once", async () => {
  using session = new TestSessionFolder();
  const disk = new FaultyDisk();
  await using keeper = new Keeper(session.folder, { disk });
  keeper.handle({ do: "launch", id: "l", command: shellCommand(`read go; ${countScript(8000)}; exit 3`) });
  keeper.handle({ do: "write", id: "go", text: "go\n" });
  disk.errorCode = "ENOSPC";
  // Nine failures take at least 1.5 seconds, which is longer than the keeper waits for the pipes of an exited process.
  await until(() => disk.failures > 8);
  expect(session.text("exit")).toBe("");
  disk.errorCode = null;
  await session.exit(1);
  expect(session.text("out")).toBe(countedOutput(8000));
  expect(session.records().filter((record) => record.kind === "exit").length).toBe(1);
});

/**
 * A session on a file system of 512 KiB. Mounting needs root: without it, these tests fail instead of being skipped.
 */
class SmallDiskSession extends TestKeeper {
  constructor() {
    super();
    const mount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs", this.folder]);
    if (mount.status !== 0)
      throw new Error(`The test file system could not be mounted, which needs root: ${mount.stderr.toString()}`);
  }

  /** Fills the disk up to its last block. */
  fillDisk(): void {
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

  freeDisk(): void {
    for (const name of readdirSync(this.folder)) if (name.startsWith("ballast")) rmSync(join(this.folder, name));
  }

  override [Symbol.dispose](): void {
    spawnSync("umount", ["--lazy", this.folder]);
    super[Symbol.dispose]();
  }
}

const sendLargeNote = async (keeper: KeeperConnection): Promise<string> => {
  const text = "x".repeat(10_000);
  const outcome = await keeper.send({ do: "note", id: `full ${Math.random()}`, text }).catch((error: unknown) => error);
  return outcome instanceof RequestRejected ? outcome.message : "";
};

describe("on a full file system", () => {
  test("the agent blocks, and continues once there is space, with no output lost or duplicated", async () => {
    await using session = new SmallDiskSession();
    await using keeper = await session.start();
    // The agent starts to print when this file exists. The file is not on the small disk, so the disk can be full by then.
    const startFile = `${session.folder}.start`;
    using _ = { [Symbol.dispose]: () => rmSync(startFile, { force: true }) };
    const wait = `until [ -e ${startFile} ]; do sleep 0.02; done`;
    await keeper.send({ do: "launch", id: "l", command: shellCommand(`${wait}; ${countScript(40_000)}; exec cat`) });
    await until(() => existsSync(join(session.folder, "reserve")));
    session.fillDisk();
    writeFileSync(startFile, "");
    // Notes of 10 kB are accepted until the disk is full.
    for (let n = 0; (await sendLargeNote(keeper)) === ""; n++) expect(n).toBeLessThan(100);
    expect(await sendLargeNote(keeper)).toBe("The disk is full.");
    expect(session.text("out").length).toBeLessThan(countedOutput(40_000).length);
    expect(session.text("err")).toBe("");
    expect(readProcessIdentity(keeper.hello.pid)).not.toBeNull();
    session.freeDisk();
    // Standard output and standard error are separate streams: the end of one does not show the end of the other.
    const length = countedOutput(40_000).length;
    await until(() => session.text("err") === "done\n" && session.text("out").length >= length);
    expect(session.text("out")).toBe(countedOutput(40_000));
    await keeper.send({ do: "note", id: "after", text: "accepted" });
    await keeper.send({ do: "close-stdin", id: "h" });
    expect(await session.exit(1)).toEqual({ code: 0, signal: null });
  });

  test("an agent can be killed and its exit is recorded, with the space of the reserve", async () => {
    await using session = new SmallDiskSession();
    await using keeper = await session.start();
    await keeper.send({ do: "launch", id: "l", command: shellCommand("exec sleep 100") });
    expect(statSync(join(session.folder, "reserve")).size).toBe(65_536);
    session.fillDisk();
    // The last block of the spool has space for some small records.
    for (let n = 0; (await sendLargeNote(keeper)) === ""; n++) expect(n).toBeLessThan(100);
    for (let n = 0; n < 100; n++) await keeper.send({ do: "note", id: `small ${n}`, text: "" }).catch(() => {});
    await expect(keeper.send({ do: "note", id: "no space", text: "" })).rejects.toThrow("The disk is full.");
    await keeper.send({ do: "kill", id: "k" });
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGTERM" });
    expect(existsSync(join(session.folder, "reserve"))).toBe(false);
  });
});
