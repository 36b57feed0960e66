import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initialSessionState } from "@fairlead/reducer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SnapshotFile, type Snapshot, type WriteBytes } from "./snapshot.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "snapshot-"));
  file = join(folder, "snapshot.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const snapshotOf = (text: string, upToSeq = 1): Snapshot => ({
  upToSeq,
  adapterVersion: "1",
  state: { ...initialSessionState, dialectState: { text } },
  pendingEffects: [],
  alarms: [],
  approvals: [],
});
const large = "é".repeat(500_000);

describe("a snapshot file", () => {
  test("returns what was saved last, and nothing if a byte has changed or the end is missing", () => {
    const store = new SnapshotFile(file);
    expect(store.load()).toBeNull();
    store.save(snapshotOf("one"));
    store.save(snapshotOf(large, 2));
    expect(store.load()).toEqual(snapshotOf(large, 2));
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, -1));
    expect(store.load()).toBeNull();
    writeFileSync(file, bytes.fill(0x20, 100, 101));
    expect(store.load()).toBeNull();
    writeFileSync(file, "");
    expect(store.load()).toBeNull();
  });

  test("is whole when the disk writes only a part at a time", () => {
    const inParts: WriteBytes = (fd, bytes, offset) =>
      writeSync(fd, bytes, offset, Math.min(4096, bytes.length - offset));
    new SnapshotFile(file, inParts).save(snapshotOf(large));
    expect(new SnapshotFile(file).load()).toEqual(snapshotOf(large));
  });

  test.each<readonly [string, WriteBytes]>([
    [
      "stops in the middle",
      (fd, bytes, offset) => (offset > 0 ? 0 : writeSync(fd, bytes, 0, Math.ceil(bytes.length / 2))),
    ],
    ["drops bytes, but reports them as written", (fd, bytes) => (writeSync(fd, bytes.subarray(0, 10)), bytes.length)],
    ["changes bytes", (fd, bytes) => writeSync(fd, Buffer.from(bytes).fill(0x20, 0, 1))],
  ])("keeps the earlier snapshot when the disk %s, and removes what it has written", (_, write) => {
    new SnapshotFile(file).save(snapshotOf("good"));
    expect(() => new SnapshotFile(file, write).save(snapshotOf(large, 2))).toThrow("did not store");
    expect(new SnapshotFile(file).load()).toEqual(snapshotOf("good"));
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  test("keeps the earlier snapshot on a disk that is nearly full", () => {
    // Needs root, like the tests of the keeper on a full disk.
    const mount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=700k,mode=700", "tmpfs", folder]);
    expect(mount.status, mount.stderr.toString()).toBe(0);
    try {
      const store = new SnapshotFile(file);
      store.save(snapshotOf("good"));
      expect(() => store.save(snapshotOf(large, 2))).toThrow("ENOSPC");
      expect(store.load()).toEqual(snapshotOf("good"));
      store.save(snapshotOf("better", 3));
      expect(store.load()).toEqual(snapshotOf("better", 3));
    } finally {
      spawnSync("umount", [folder]);
    }
  });
});
