import { randomBytes } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import type { AgentMemory } from "@fairlead/contract";
import { CountingObjects } from "@fairlead/testing/runtime/counting-objects.ts";
import { afterAll, beforeEach, expect, test } from "vitest";
import { restoreMemory } from "./restore-memory.ts";
import { saveMemory } from "./save-memory.ts";
import { blockBytes, maxMemoryBytes, type StoredMemory } from "./stored-memory.ts";

const folder = mkdtempSync(join(tmpdir(), "fl-restore-"));
afterAll(() => rmSync(folder, { recursive: true }));

const session = "s";
const content = randomBytes(1.5 * blockBytes);
let objects: CountingObjects;
let stored: StoredMemory;
/** The agent's folder on the host to which the memory is restored. */
let root: string;
let memory: AgentMemory;
let count = 0;
beforeEach(async () => {
  const source = join(folder, `${count}-source`);
  root = join(folder, `${count++}`);
  mkdirSync(join(source, "chats", "b"), { recursive: true });
  writeFileSync(join(source, "chats", "a.jsonl"), content);
  writeFileSync(join(source, "chats", "b", "1"), "words");
  const files = [
    { folder: "", name: "a.jsonl" },
    { folder: "b", name: /^[\d.]+$/ },
  ];
  memory = { root, folder: "chats", files };
  objects = new CountingObjects();
  stored = await saveMemory({
    objects,
    session,
    memory: { ...memory, root: source },
    before: null,
    epoch: 1,
    present: new Set(),
  });
});

const restore = (): Promise<void> => restoreMemory({ objects, session, memory, stored });
const at = (...names: string[]): string => join(root, "chats", ...names);

test("refuses a memory that was not stored", async () => {
  for (const outcome of ["absent", "too-large"] as const) {
    stored = { outcome, files: [] };
    await expect(restore()).rejects.toMatchObject({ code: "no-conversation" });
  }
  expect(existsSync(root)).toBe(false);
});

test.for([
  ["a missing block", (key: string) => objects.stored.delete(key)],
  ["another block", (key: string) => objects.stored.set(key, zstdCompressSync(Buffer.from("other")))],
  ["a block that is no block", (key: string) => objects.stored.set(key, Buffer.from("other"))],
  ["a block that becomes large", (key: string) => objects.stored.set(key, zstdCompressSync(Buffer.alloc(1e8)))],
] as const)("finds %s, and changes no file", async ([, damage]) => {
  mkdirSync(at(), { recursive: true });
  writeFileSync(at("a.jsonl"), "local");
  for (const { key } of objects.puts.slice(-1)) damage(key); // of the second file
  await expect(restore()).rejects.toMatchObject({ code: "corrupt" });
  expect(readdirSync(at())).toEqual(["a.jsonl", "b"]);
  expect(readdirSync(at("b"))).toEqual([]);
  expect(readFileSync(at("a.jsonl"), "utf8")).toBe("local");
});

test("finds blocks in another order or number, and sizes above the limit", async () => {
  const [file] = stored.files as [StoredMemory["files"][number]];
  const manyBlocks = maxMemoryBytes / blockBytes + 1;
  for (const change of [
    { blocks: file.blocks.slice(1) },
    { blocks: [...file.blocks, ...file.blocks] },
    { size: file.size - 1 },
    { blocks: Array.from({ length: manyBlocks }, () => file.blocks[0]!), size: manyBlocks * blockBytes },
  ]) {
    stored = { outcome: "stored", files: [{ ...file, ...change }] };
    await expect(restore()).rejects.toMatchObject({ code: "corrupt" });
    expect(existsSync(at("a.jsonl"))).toBe(false);
  }
});

test("refuses paths that the agent does not use", async () => {
  const [file] = stored.files as [StoredMemory["files"][number]];
  const paths = ["../a.jsonl", "/a.jsonl", "b/../a.jsonl", "./a.jsonl", "c/1", "b/x", "b/1/1", "b/.", "b/..", "b/", ""];
  for (const path of paths) {
    stored = { outcome: "stored", files: [{ ...file, path }] };
    await expect(restore(), path).rejects.toMatchObject({ code: "corrupt" });
  }
  expect(readdirSync(folder).includes("a.jsonl")).toBe(false);
});

test("refuses a folder that is a link or a file", async () => {
  const target = join(folder, `${count}-target`);
  mkdirSync(target);
  mkdirSync(root);
  symlinkSync(target, at());
  await expect(restore()).rejects.toMatchObject({ code: "conflict" });
  rmSync(at());
  mkdirSync(at());
  symlinkSync(target, at("b"));
  await expect(restore()).rejects.toMatchObject({ code: "conflict" });
  rmSync(at("b"));
  writeFileSync(at("b"), "");
  await expect(restore()).rejects.toMatchObject({ code: "conflict" });
  expect(readdirSync(target)).toEqual([]);
  expect(readdirSync(at())).toEqual(["b"]);
});

test("replaces a file that the stored one continues, and leaves nothing else", async () => {
  mkdirSync(at(), { recursive: true });
  for (const local of [Buffer.alloc(0), content.subarray(0, 10), content.subarray(0, blockBytes + 1), content]) {
    writeFileSync(at("a.jsonl"), local);
    await restore();
    expect(readFileSync(at("a.jsonl")).equals(content)).toBe(true);
    expect(readdirSync(at())).toEqual(["a.jsonl", "b"]);
  }
});

test("keeps a local file that the stored one does not continue", async () => {
  mkdirSync(at(), { recursive: true });
  const others = [Buffer.concat([content, Buffer.from("x")]), Buffer.from("y"), content.subarray(1)];
  for (const local of others) {
    writeFileSync(at("a.jsonl"), local);
    await restore();
    expect(readFileSync(at("a.jsonl")).equals(content)).toBe(true);
  }
  const kept = readdirSync(at()).filter((name) => name.includes("before-move"));
  expect(kept).toEqual(["a.jsonl.before-move", "a.jsonl.before-move-2", "a.jsonl.before-move-3"]);
  for (const [index, name] of kept.entries()) expect(readFileSync(at(name)).equals(others[index]!)).toBe(true);
});

test("does not follow a link or open a pipe in place of a file", async () => {
  const target = join(folder, `${count}-file`);
  writeFileSync(target, "");
  mkdirSync(at("b"), { recursive: true });
  symlinkSync(target, at("a.jsonl"));
  symlinkSync(target, at("a.jsonl.restoring"));
  execFileSync("mkfifo", [at("b", "1")]);
  await restore();
  expect(readFileSync(target, "utf8")).toBe("");
  expect(readFileSync(at("a.jsonl")).equals(content)).toBe(true);
  expect(lstatSync(at("a.jsonl")).isFile()).toBe(true);
  expect(lstatSync(at("a.jsonl.before-move")).isSymbolicLink()).toBe(true);
  expect(statSync(at("b", "1.before-move")).isFIFO()).toBe(true);
});
