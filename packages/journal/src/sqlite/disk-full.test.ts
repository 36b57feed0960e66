import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestWriter, formatEvents } from "../conformance/test-writer.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";

/** Mounts a disk of that many KiB. Returns undefined without the permission to mount. */
function mountDisk(size: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}k`, "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

/** Appends until the disk is full. Returns the acknowledged events. */
async function fillDisk(writer: TestWriter): Promise<string[]> {
  const acknowledged: string[] = [];
  while (true) {
    const text = `${writer.last + 1} `.repeat(200);
    try {
      await writer.append(text);
    } catch (error) {
      expect(FairleadError.is(error, "unavailable")).toBe(true);
      return acknowledged;
    }
    acknowledged.push(`${writer.last}: ${text}`);
  }
}

// On the first disk, SQLite never gets to checkpoint its write-ahead log. On the second, it does so many times.
describe.for([700, 12_000])("a full disk of %i KiB", (size) => {
  let disk: string | undefined;
  beforeAll(() => void (disk = mountDisk(size)));
  afterAll(() => {
    if (disk === undefined) return;
    execFileSync("umount", [disk]);
    rmSync(disk, { recursive: true });
  });

  test("rejects appends, still reads, and appends again once there is space", async ({ skip }) => {
    if (disk === undefined) return skip("mounting a disk is not permitted");
    const file = join(disk, "journal.db");
    const ballast = join(disk, "ballast");
    writeFileSync(ballast, Buffer.alloc(200 * 1024));
    const acknowledged: string[] = [];
    {
      await using journal = await openSqliteLog({ file });
      const writer = await TestWriter.claim(journal, "s");
      acknowledged.push(...(await fillDisk(writer)));
      expect(acknowledged.length).toBeGreaterThan(20);

      // While the disk is full, the log is read-only.
      for (let attempt = 0; attempt < 5; attempt++) {
        await expect(writer.append("x".repeat(5_000))).rejects.toMatchObject({ code: "unavailable" });
        await expect(journal.claim("t", "writer")).rejects.toMatchObject({ code: "unavailable" });
        expect((await journal.tail("s")).last).toBe(acknowledged.length);
      }
      expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(acknowledged);
      await using reader = await openSqliteLog({ file });
      expect(formatEvents(await Array.fromAsync(reader.read("s", 0)))).toEqual(acknowledged);

      rmSync(ballast);
      await writer.append("space");
      acknowledged.push(`${writer.last}: space`);
      acknowledged.push(...(await fillDisk(writer)));
      expect(formatEvents(await Array.fromAsync(reader.read("s", 0)))).toEqual(acknowledged);
    }
    await using reopened = await openSqliteLog({ file });
    expect(formatEvents(await Array.fromAsync(reopened.read("s", 0)))).toEqual(acknowledged);
    expect((await reopened.tail("s")).last).toBe(acknowledged.length);
  });
});
