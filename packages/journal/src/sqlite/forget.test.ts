import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestWriter, formatEvents } from "../conformance/test-writer.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";

test("erases a forgotten session from the file and reuses its space", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forget-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const file = join(folder, "journal.db");
  const size = await writeAndForget("a secret");
  expect(await writeAndForget("b secret")).toBeLessThan(1.1 * size);

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
    }
    expect(readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(`${secret} `))).toEqual([]);
    return readFileSync(file).byteLength;
  }
});
