import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { HistoryMessage } from "./history-message.ts";
import { loadHistory, saveHistory } from "./history-store.ts";

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "history-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const history: HistoryMessage[] = [
  { role: "user", content: "two\nlines" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", type: "function", function: { name: "read_file", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "1", content: "" },
];

test("loads what it saved, and leaves no other file in the folder", async () => {
  const folder = join(createTemporaryFolder(), "new");
  const id = randomUUID();
  await saveHistory(folder, id, []);
  expect(await loadHistory(folder, id)).toEqual([]);
  await saveHistory(folder, id, history);
  expect(await loadHistory(folder, id)).toEqual(history);
  expect(readdirSync(folder)).toEqual([`${id}.jsonl`]);
});

test("resolves with null for an unknown conversation", async () => {
  expect(await loadHistory(createTemporaryFolder(), randomUUID())).toBeNull();
});

test("rejects an id that contains a path", async () => {
  const folder = createTemporaryFolder();
  mkdirSync(join(folder, "history"));
  writeFileSync(join(folder, "other.jsonl"), '{"role":"user","content":"secret"}\n');
  expect(await loadHistory(join(folder, "history"), "../other")).toBeNull();
  await expect(saveHistory(join(folder, "history"), "../other", history)).rejects.toThrow();
});

test("rejects a damaged file instead of starting an empty history", async () => {
  const folder = createTemporaryFolder();
  const id = randomUUID();
  writeFileSync(join(folder, `${id}.jsonl`), '{"role":"user","con');
  await expect(loadHistory(folder, id)).rejects.toThrow();
});

test("shows a reader the whole file while it is saved", async () => {
  const folder = createTemporaryFolder();
  const id = randomUUID();
  const large = Array.from({ length: 2000 }, (): HistoryMessage => ({ role: "user", content: "x".repeat(100) }));
  await saveHistory(folder, id, large);
  const saving = (async () => {
    for (let count = 0; count < 10; count += 1) await saveHistory(folder, id, large);
  })();
  for (let count = 0; count < 20; count += 1) expect(await loadHistory(folder, id)).toHaveLength(2000);
  await saving;
});

test("leaves no temporary file and no other change when a save fails", async () => {
  const folder = createTemporaryFolder();
  const id = randomUUID();
  await saveHistory(folder, id, history);
  // A folder at the path of the file makes the rename fail, even for root.
  const blockedId = randomUUID();
  mkdirSync(join(folder, `${blockedId}.jsonl`));
  await expect(saveHistory(folder, blockedId, history)).rejects.toThrow();
  expect(readdirSync(folder).toSorted()).toEqual([`${id}.jsonl`, `${blockedId}.jsonl`].toSorted());
});
