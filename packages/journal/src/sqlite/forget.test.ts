import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Author, told } from "../conformance/author.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";

test("of what is forgotten no letter stays in the file, which is in order, and its room is used again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forget-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const file = join(folder, "journal.db");
  const size = await round("a secret");
  expect(await round("b secret")).toBeLessThan(1.1 * size);

  /** Has a large session written and forgotten beside one that stays; gives the size of the file. */
  async function round(secret: string): Promise<number> {
    {
      await using log = await openSqliteLog({ file });
      expect(log.recovery).toBeUndefined();
      const [kept, gone] = [await Author.claim(log, secret), await Author.claim(log, "gone")];
      for (let at = 0; at < 200; at += 1) await gone.append(`${secret} `.repeat(100));
      await kept.append("kept");
      await log.forget("gone", gone.fence);
      expect(told(await Array.fromAsync(log.read(secret, 0)))).toEqual(["1: kept"]);
    }
    expect(readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(`${secret} `))).toEqual([]);
    return readFileSync(file).byteLength;
  }
});
