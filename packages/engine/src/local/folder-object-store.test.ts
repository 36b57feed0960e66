import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { objectStoreConformance } from "../conformance.ts";
import { FolderObjectStore } from "./folder-object-store.ts";

const root = mkdtempSync(join(tmpdir(), "fairlead-objects-"));
afterAll(() => rmSync(root, { recursive: true }));

const folders = new WeakMap<object, string>();
let count = 0;
const createFolder = (): string => join(root, `${++count}`, "objects");

async function open(folder = createFolder()): Promise<{ objects: FolderObjectStore } & AsyncDisposable> {
  const engine = { objects: await FolderObjectStore.open(folder), [Symbol.asyncDispose]: async () => {} };
  folders.set(engine, folder);
  return engine;
}

objectStoreConformance(
  "folder",
  () => open(),
  (engine) => open(folders.get(engine)),
);

const fileOf = (folder: string, key: string): string => join(folder, createHash("sha256").update(key).digest("hex"));
const corrupt = { code: "corrupt" };

test("writes only files in its folder, which only the user may read", async () => {
  const folder = createFolder();
  const store = await FolderObjectStore.open(folder);
  for (const key of ["../x", "../../x", "/x", "a/b", ".."]) await store.put(key, Buffer.from("x"));
  expect(readdirSync(join(folder, ".."))).toEqual(["objects"]);
  expect(readdirSync(folder)).toHaveLength(5);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test("neither reads nor writes through a link", async () => {
  const folder = createFolder();
  const store = await FolderObjectStore.open(folder);
  const target = join(root, `target-${count}`);
  await store.put("k", Buffer.from("text"));
  writeFileSync(target, readFileSync(fileOf(folder, "k")));
  const before = readFileSync(target);
  rmSync(fileOf(folder, "k"));
  symlinkSync(target, fileOf(folder, "k"));
  await expect(store.get("k")).rejects.toMatchObject(corrupt);
  expect(await Array.fromAsync(store.list(""))).toEqual([]);
  await store.put("k", Buffer.from("replaced"));
  expect(readFileSync(target)).toEqual(before);
  expect(Buffer.from((await store.get("k")) ?? []).toString()).toBe("replaced");
  rmSync(fileOf(folder, "k"));
  symlinkSync(target, fileOf(folder, "k"));
  await store.remove("k");
  expect(readFileSync(target)).toEqual(before);
});

test("does not open a folder that is a link", async () => {
  const folder = createFolder();
  mkdirSync(join(folder, "real"), { recursive: true });
  symlinkSync(join(folder, "real"), join(folder, "link"));
  for (const name of ["link", "link/"]) {
    await expect(FolderObjectStore.open(join(folder, name))).rejects.toMatchObject({ code: "unavailable" });
  }
});

test("does not wait for a pipe in place of an object", async () => {
  const folder = createFolder();
  const store = await FolderObjectStore.open(folder);
  execFileSync("mkfifo", [fileOf(folder, "k")]);
  await expect(store.get("k")).rejects.toMatchObject(corrupt);
  expect(await Array.fromAsync(store.list(""))).toEqual([]);
});

test.for([
  ["a truncated object", (file: string) => truncateSync(file, statSync(file).size - 1)],
  ["a truncated beginning", (file: string) => truncateSync(file, 5)],
  ["an empty file", (file: string) => truncateSync(file, 0)],
  ["a changed byte", (file: string) => writeFileSync(file, readFileSync(file, "latin1").replace(/text$/, "tExt"))],
  ["added bytes", (file: string) => writeFileSync(file, "more", { flag: "a" })],
  ["another size", (file: string) => writeFileSync(file, '{"key":"k","size":1e15,"crc32":0}\ntext')],
  ["a wrong type", (file: string) => writeFileSync(file, "null\ntext")],
  ["another object", (file: string) => writeFileSync(file, '{"key":"other","size":0,"crc32":0}\n')],
] as const)("finds %s", async ([, damage]) => {
  const folder = createFolder();
  const store = await FolderObjectStore.open(folder);
  await store.put("k", Buffer.from("text"));
  await store.put("intact", Buffer.from("text"));
  damage(fileOf(folder, "k"));
  await expect(store.get("k")).rejects.toMatchObject(corrupt);
  expect(await Array.fromAsync(store.list(""))).toContain("intact");
  await store.put("k", Buffer.from("new"));
  expect(Buffer.from((await store.get("k")) ?? []).toString()).toBe("new");
});

test("does not list what a crash left, and removes it at the next start, but no file that is being written", async () => {
  const folder = createFolder();
  const store = await FolderObjectStore.open(folder);
  await store.put("k", Buffer.from("text"));
  const [old, young] = ["old", "young"].map((name) => join(folder, `${"a".repeat(64)}.${name}.new`)) as [
    string,
    string,
  ];
  for (const file of [old, young]) writeFileSync(file, '{"key":"half","size":9,"crc32":0}\nhalf');
  utimesSync(old, 0, 0);
  expect(await Array.fromAsync(store.list(""))).toEqual(["k"]);
  const reopened = await FolderObjectStore.open(folder);
  expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([`${"a".repeat(64)}.young.new`]);
  expect(await Array.fromAsync(reopened.list(""))).toEqual(["k"]);
});

test("throws `unavailable` and leaves nothing behind when it cannot write", async () => {
  const folder = createFolder();
  const store = await FolderObjectStore.open(folder);
  mkdirSync(fileOf(folder, "k"));
  await expect(store.put("k", Buffer.from("text"))).rejects.toMatchObject({ code: "unavailable" });
  expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
  rmSync(folder, { recursive: true });
  await expect(store.put("k", Buffer.from("text"))).rejects.toMatchObject({ code: "unavailable" });
});
