import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { TestWriter, formatEvents } from "../conformance/test-writer.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";

test("erases a forgotten session from the file and reuses its space", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forget-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const file = join(folder, "journal.db");
  const size = await writeAndForget("a secret");
  expect(await writeAndForget("b secret")).toBeLessThan(1.1 * size);

  function filesWith(text: string): string[] {
    return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));
  }

  /** Writes and forgets a large session, and writes another that remains. Returns the size of the file. */
  async function writeAndForget(secret: string): Promise<number> {
    {
      await using log = await openSqliteLog({ file });
      expect(log.recovery).toBeUndefined();
      const remaining = await TestWriter.claim(log, secret);
      const forgotten = await TestWriter.claim(log, "forgotten");
      for (let count = 0; count < 200; count += 1) await forgotten.append(`${secret} `.repeat(100));
      await remaining.append("remains");
      await log.forget("forgotten", forgotten.fence);
      expect(formatEvents(await Array.fromAsync(log.read(secret, 0)))).toEqual(["1: remains"]);
      expect(filesWith(`${secret} `)).toEqual([]); // while the journal is open
    }
    expect(filesWith(`${secret} `)).toEqual([]);
    return readFileSync(file).byteLength;
  }
});

test("waits for a reader in another process, and erases the rest when it is repeated", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forget-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const file = join(folder, "journal.db");
  await using log = await openSqliteLog({ file });
  const writer = await TestWriter.claim(log, "forgotten");
  await writer.append("a secret");
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM frames").get();
  const forgetting = log.forget("forgotten", writer.fence);
  await vi.waitUntil(async () => (await log.tail("forgotten")).epoch === 0);
  expect(readFileSync(`${file}-wal`).includes("a secret")).toBe(true);
  reader.close();
  await forgetting;
  expect(readFileSync(`${file}-wal`).byteLength).toBe(0);
  await log.forget("forgotten", 0n); // as after an interrupted removal
});
