import { randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CountingObjects } from "@fairlead/testing/runtime/counting-objects.ts";
import { expect, test } from "vitest";
import { saveMemory } from "./save-memory.ts";
import { blockBytes, type StoredMemory } from "./stored-memory.ts";

/** The bytes that this process has read, from files and otherwise. */
const countReadBytes = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);

interface SaveCost {
  readonly puts: number;
  readonly putBytes: number;
  readonly readBytes: number;
}

/** Measures the save after a turn that appended a few kilobytes to a transcript of a number of bytes. */
async function measureSave(bytes: number): Promise<SaveCost> {
  const root = mkdtempSync(join(tmpdir(), "fl-cost-"));
  const path = join(root, "a.jsonl");
  const memory = { root, folder: "", files: [{ folder: "", name: "a.jsonl" }] };
  const objects = new CountingObjects();
  const owner = { epoch: 1, present: new Set<string>() };
  const save = (before: StoredMemory | null): Promise<StoredMemory> =>
    saveMemory({ objects, session: "s", memory, before, ...owner });
  writeFileSync(path, randomBytes(bytes));
  const before = await save(null);
  objects.puts.length = 0;
  appendFileSync(path, randomBytes(5000));
  const readBefore = countReadBytes();
  await save(before);
  const readBytes = countReadBytes() - readBefore;
  rmSync(root, { recursive: true });
  return { puts: objects.puts.length, putBytes: objects.puts.reduce((sum, put) => sum + put.bytes, 0), readBytes };
}

test.runIf(process.platform === "linux")("a save costs the same after 1, 10 and 100 times as much", async () => {
  await measureSave(blockBytes); // loads modules
  const half = blockBytes / 2;
  for (const factor of [1, 10, 100]) {
    const cost = await measureSave(2 * factor * blockBytes + half);
    expect(cost.puts).toBe(1);
    expect(cost.putBytes).toBeLessThan(half + 6000);
    // The last full block, the rest, and what the test itself reads.
    expect(cost.readBytes).toBeGreaterThan(blockBytes + half);
    expect(cost.readBytes).toBeLessThan(blockBytes + half + 5000 + 100_000);
  }
});
