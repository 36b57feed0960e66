import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Author, told } from "../conformance/author.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";

/** A disk of that many KiB; nothing where we may not make one. */
function makeDisk(size: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}k`, "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

/** Appends until the disk is full; gives what was acknowledged. */
async function fill(author: Author): Promise<string[]> {
  const acknowledged: string[] = [];
  while (true) {
    const text = `${author.last + 1} `.repeat(200);
    try {
      await author.append(text);
    } catch (error) {
      expect(FairleadError.is(error, "unavailable")).toBe(true);
      return acknowledged;
    }
    acknowledged.push(`${author.last}: ${text}`);
  }
}

// The first is too small for SQLite ever to empty its write-ahead log; on the second it does so many times before.
describe.for([700, 12_000])("a full disk of %i KiB", (size) => {
  let disk: string | undefined;
  beforeAll(() => void (disk = makeDisk(size)));
  afterAll(() => {
    if (disk === undefined) return;
    execFileSync("umount", [disk]);
    rmSync(disk, { recursive: true });
  });

  test("appends fail and are not there, reads go on, and with room again all goes on", async ({ skip }) => {
    if (disk === undefined) return skip("no disk can be made here");
    const file = join(disk, "journal.db");
    const ballast = join(disk, "ballast");
    writeFileSync(ballast, Buffer.alloc(200 * 1024));
    const acknowledged: string[] = [];
    {
      await using journal = await openSqliteLog({ file });
      const author = await Author.claim(journal, "s");
      acknowledged.push(...(await fill(author)));
      expect(acknowledged.length).toBeGreaterThan(20);

      // Alive, and read-only: as long as there is no room, nothing changes.
      for (let attempt = 0; attempt < 5; attempt++) {
        await expect(author.append("x".repeat(5_000))).rejects.toMatchObject({ code: "unavailable" });
        await expect(journal.claim("t", "author")).rejects.toMatchObject({ code: "unavailable" });
        expect((await journal.tail("s")).last).toBe(acknowledged.length);
      }
      expect(told(await Array.fromAsync(journal.read("s", 0)))).toEqual(acknowledged);
      await using reader = await openSqliteLog({ file });
      expect(told(await Array.fromAsync(reader.read("s", 0)))).toEqual(acknowledged);

      rmSync(ballast);
      await author.append("room");
      acknowledged.push(`${author.last}: room`);
      acknowledged.push(...(await fill(author)));
      expect(told(await Array.fromAsync(reader.read("s", 0)))).toEqual(acknowledged);
    }
    await using again = await openSqliteLog({ file });
    expect(told(await Array.fromAsync(again.read("s", 0)))).toEqual(acknowledged);
    expect((await again.tail("s")).last).toBe(acknowledged.length);
  });
});
