import { randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentMemory } from "@fairlead/contract";
import type { ObjectStore } from "@fairlead/engine";
import { openNatsObjects } from "@fairlead/testing/nats/open-nats-objects.ts";
import { CountingObjects } from "@fairlead/testing/runtime/counting-objects.ts";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { Home } from "../home.ts";
import { openHomeEngine } from "../open-home-engine.ts";
import { restoreMemory } from "./restore-memory.ts";
import { forgetMemory, removeReplacedBlocks, saveMemory } from "./save-memory.ts";
import { blockBytes, StoredMemory } from "./stored-memory.ts";

const folder = mkdtempSync(join(tmpdir(), "fl-memory-"));
afterAll(() => rmSync(folder, { recursive: true }));
let root: string;
let count = 0;
beforeEach(() => {
  root = join(folder, `${count++}`);
  mkdirSync(root);
});

const session = "s/1";
/** The first owner of the session, with an empty object store. */
const createOwner = (): { epoch: number; present: Set<string> } => ({ epoch: 1, present: new Set() });
const createMemory = (at = root, files: AgentMemory["files"] = [{ folder: "", name: "a.jsonl" }]): AgentMemory => ({
  root: at,
  folder: "",
  files,
});
/** Through JSON, as between hosts. */
const transfer = (stored: StoredMemory): StoredMemory => StoredMemory.parse(JSON.parse(JSON.stringify(stored)));

async function restoreElsewhere(objects: ObjectStore, stored: StoredMemory, memory = createMemory()): Promise<string> {
  const other = `${root}-other`;
  rmSync(other, { recursive: true, force: true });
  await restoreMemory({ objects, session, memory: { ...memory, root: other }, stored: transfer(stored) });
  return other;
}

const stores = {
  folder: () => openHomeEngine(new Home(join(root, "home"))),
  NATS: openNatsObjects,
};

describe.each(Object.entries(stores))("%s", (_, open) => {
  test("another host has the files of each save, and forgets them", async () => {
    await using opened = await open();
    const { objects } = opened;
    await objects.put("memory/s/other", new Uint8Array(1));
    const memory = createMemory(root, [
      { folder: "", name: "a.jsonl" },
      { folder: "b/c", name: /^\d\.txt$/ },
    ]);
    mkdirSync(join(root, "b", "c"), { recursive: true });
    let stored: StoredMemory | null = null;
    const owner = createOwner();
    for (const bytes of [0, 10, blockBytes, 2.5 * blockBytes]) {
      appendFileSync(join(root, "a.jsonl"), randomBytes(bytes));
      writeFileSync(join(root, "b", "c", "1.txt"), randomBytes(bytes));
      const before: StoredMemory | null = stored;
      stored = await saveMemory({ objects, session, memory, before, ...owner });
      expect(stored.outcome).toBe("stored");
      await removeReplacedBlocks({ objects, session, ...owner }, stored);
      const other = await restoreElsewhere(objects, stored, memory);
      for (const path of ["a.jsonl", "b/c/1.txt"])
        expect(readFileSync(join(other, path)).equals(readFileSync(join(root, path)))).toBe(true);
      expect(statSync(join(other, "b/c/1.txt")).mode & 0o777).toBe(0o600);
      for (const path of ["", "b", "b/c"]) expect(statSync(join(other, path)).mode & 0o777).toBe(0o700);
    }
    // Only the blocks of the last save are left: 4 of the appended file, 3 of the rewritten one.
    expect(await Array.fromAsync(objects.list("memory/s%2F1/"))).toHaveLength(7);
    await forgetMemory(objects, session);
    expect(await Array.fromAsync(objects.list(""))).toEqual(["memory/s/other"]);
  });
});

test("restores into the folder that the agent of the other host uses", async () => {
  const objects = new CountingObjects();
  const memory = { root, folder: "projects/here", files: createMemory().files };
  mkdirSync(join(root, "projects/here"), { recursive: true });
  writeFileSync(join(root, "projects/here/a.jsonl"), "words");
  const stored = await saveMemory({ objects, session, memory, before: null, ...createOwner() });
  const other = await restoreElsewhere(objects, stored, { ...memory, folder: "projects/there" });
  expect(readFileSync(join(other, "projects/there/a.jsonl"), "utf8")).toBe("words");
});

test("stores only files that the memory names, and no links, pipes and folders", async () => {
  const memory = createMemory(root, [
    { folder: "", name: "a.jsonl" },
    { folder: "", name: "link" },
    { folder: "results", name: /^\w+$/ },
    { folder: "linked", name: /^\w+$/ },
    { folder: "results/linked", name: /^\w+$/ },
  ]);
  for (const path of ["results", "secrets"]) mkdirSync(join(root, path));
  for (const path of ["a.jsonl", "other", "results/one", "results/no.no", "secrets/key"])
    writeFileSync(join(root, path), path);
  mkdirSync(join(root, "results", "folder"));
  symlinkSync("a.jsonl", join(root, "link"));
  symlinkSync("../secrets/key", join(root, "results", "key"));
  for (const path of ["linked", "results/linked"]) symlinkSync(join(root, "secrets"), join(root, path));
  const stored = await saveMemory({ objects: new CountingObjects(), session, memory, before: null, ...createOwner() });
  expect(stored.files.map(({ path }) => path)).toEqual(["a.jsonl", "results/one"]);
});

test("follows a link that leads to the agent's folder", async () => {
  const objects = new CountingObjects();
  writeFileSync(join(root, "a.jsonl"), "words");
  symlinkSync(root, `${root}-link`);
  const stored = await saveMemory({
    objects,
    session,
    memory: createMemory(`${root}-link`),
    before: null,
    ...createOwner(),
  });
  expect(stored.outcome).toBe("stored");
  writeFileSync(join(root, "a.jsonl"), "");
  await restoreMemory({ objects, session, memory: createMemory(`${root}-link`), stored });
  expect(readFileSync(join(root, "a.jsonl"), "utf8")).toBe("words");
});

test("says when there is nothing, and when there is too much", async () => {
  const objects = new CountingObjects();
  const options = { objects, session, before: null, ...createOwner() };
  const nowhere = createMemory(join(root, "nowhere"));
  await expect(saveMemory({ ...options, memory: nowhere })).resolves.toEqual({ outcome: "absent", files: [] });
  await expect(saveMemory({ ...options, memory: createMemory() })).resolves.toEqual({ outcome: "absent", files: [] });

  const memory = createMemory(root, [
    { folder: "", name: "a.jsonl" },
    { folder: "results", name: /^\d$/, optional: true },
  ]);
  mkdirSync(join(root, "results"));
  for (const [path, bytes] of [
    ["a.jsonl", 50],
    ["results/1", 60],
    ["results/2", 40],
    ["results/3", 10],
  ] as const)
    writeFileSync(join(root, path), randomBytes(bytes));
  const save = async (bytes: number, files: number): Promise<StoredMemory> =>
    await saveMemory({ ...options, memory, limits: { bytes, files } });
  const withoutLarge = await save(100, 5);
  expect(withoutLarge.files.map(({ path }) => path)).toEqual(["a.jsonl", "results/2", "results/3"]);
  expect((await save(1000, 2)).files.map(({ path }) => path)).toEqual(["a.jsonl", "results/1"]);
  objects.puts.length = 0;
  await expect(save(49, 5)).resolves.toEqual({ outcome: "too-large", files: [] });
  expect(objects.puts).toEqual([]);
});

test("stores nothing if a file needs those of another conversation, however long it is", async () => {
  const objects = new CountingObjects();
  const memory = createMemory(root, [{ folder: "", name: "a.jsonl", needsOthers: /^[^\n]*"from":/ }]);
  const outcomeOf = async (text: string): Promise<string> => {
    writeFileSync(join(root, "a.jsonl"), text);
    return (await saveMemory({ objects, session, memory, before: null, ...createOwner() })).outcome;
  };
  await expect(outcomeOf('{}\n{"from":1}')).resolves.toBe("stored");
  objects.puts.length = 0;
  await expect(outcomeOf(`{"id":2,"from":1}\n${"x".repeat(2 * blockBytes)}`)).resolves.toBe("needs-others");
  expect(objects.puts).toEqual([]);
});

test("stores nothing of files that have not changed", async () => {
  const objects = new CountingObjects();
  const owner = createOwner();
  const memory = createMemory();
  writeFileSync(join(root, "a.jsonl"), randomBytes(2.5 * blockBytes));
  const first = await saveMemory({ objects, session, memory, before: null, ...owner });
  expect(objects.puts).toHaveLength(3);
  await expect(saveMemory({ objects, session, memory, before: transfer(first), ...owner })).resolves.toEqual(first);
  writeFileSync(join(root, "a.jsonl"), readFileSync(join(root, "a.jsonl")));
  const second = await saveMemory({ objects, session, memory, before: first, ...owner });
  expect(second.files.map(({ blocks }) => blocks)).toEqual(first.files.map(({ blocks }) => blocks));
  expect(objects.puts).toHaveLength(3);
});

test("stores a file again whose last full block has changed, or that was truncated", async () => {
  const objects = new CountingObjects();
  const owner = createOwner();
  const memory = createMemory();
  const path = join(root, "a.jsonl");
  const content = randomBytes(3 * blockBytes);
  writeFileSync(path, content);
  let before = await saveMemory({ objects, session, memory, before: null, ...owner });
  for (const change of [
    () => writeFileSync(path, Buffer.concat([Buffer.from("x"), content])),
    () => writeFileSync(path, Buffer.concat([content.subarray(1), content])),
    () => truncateSync(path, 2 * blockBytes + 1),
    () => truncateSync(path, blockBytes),
    () => truncateSync(path, 0),
  ]) {
    change();
    const stored = await saveMemory({ objects, session, memory, before, ...owner });
    await removeReplacedBlocks({ objects, session, ...owner }, stored);
    const other = await restoreElsewhere(objects, stored);
    expect(readFileSync(join(other, "a.jsonl")).equals(readFileSync(path))).toBe(true);
    before = stored;
  }
  expect(objects.stored.size).toBe(0);
});
