import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Message } from "../../packages/adapters/programs/openai-agent/history.ts";
import { recall, remember } from "../../packages/adapters/programs/openai-agent/memory.ts";

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "memory-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const history: Message[] = [
  { role: "user", content: "two\nlines" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", type: "function", function: { name: "read_file", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "1", content: "" },
];

test("what is remembered is recalled, and nothing else is left in the folder", async () => {
  const folder = join(temporary(), "new");
  const id = randomUUID();
  await remember(folder, id, []);
  expect(await recall(folder, id)).toEqual([]);
  await remember(folder, id, history);
  expect(await recall(folder, id)).toEqual(history);
  expect(readdirSync(folder)).toEqual([`${id}.jsonl`]);
});

test("of an unknown conversation there is nothing", async () => {
  expect(await recall(temporary(), randomUUID())).toBeNull();
});

test("an id cannot lead to another file", async () => {
  const folder = temporary();
  mkdirSync(join(folder, "memory"));
  writeFileSync(join(folder, "other.jsonl"), '{"role":"user","content":"secret"}\n');
  expect(await recall(join(folder, "memory"), "../other")).toBeNull();
  await expect(remember(join(folder, "memory"), "../other", history)).rejects.toThrow();
});

test("a damaged file is an error, and not a fresh start", async () => {
  const folder = temporary();
  const id = randomUUID();
  writeFileSync(join(folder, `${id}.jsonl`), '{"role":"user","con');
  await expect(recall(folder, id)).rejects.toThrow();
});

test("whoever reads while it is written finds it whole", async () => {
  const folder = temporary();
  const id = randomUUID();
  const large = Array.from({ length: 2000 }, (): Message => ({ role: "user", content: "x".repeat(100) }));
  await remember(folder, id, large);
  const writing = (async () => {
    for (let count = 0; count < 10; count += 1) await remember(folder, id, large);
  })();
  for (let count = 0; count < 20; count += 1) expect(await recall(folder, id)).toHaveLength(2000);
  await writing;
});

test("a memory that cannot be written leaves what was there", async () => {
  const folder = temporary();
  const id = randomUUID();
  await remember(folder, id, history);
  // A folder in the place of the file: the last move fails, whoever we are.
  const other = randomUUID();
  mkdirSync(join(folder, `${other}.jsonl`));
  await expect(remember(folder, other, history)).rejects.toThrow();
  expect(readdirSync(folder).toSorted()).toEqual([`${id}.jsonl`, `${other}.jsonl`].toSorted());
});
