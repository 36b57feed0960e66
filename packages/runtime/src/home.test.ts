import { chmodSync, mkdtempDisposableSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Home } from "./home.ts";

test("create restricts the data directory to its owner, also if it exists with wider permissions", () => {
  const folder = mkdtempSync(join(tmpdir(), "fl-home-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  chmodSync(folder, 0o777);
  new Home(folder).create();
  new Home(join(folder, "new")).create();
  for (const path of [folder, join(folder, "new")]) expect(statSync(path).mode & 0o777).toBe(0o700);
});

test("a directory that cannot be used is an error with the reason", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  const create = (path: string) => () => new Home(path).create();
  expect(create(file)).toThrow(`The data directory ${file} cannot be used: it is not a folder.`);
  expect(create(join(file, "below"))).toThrow("a part of its path is not a folder");
  expect(create(join(file, "below"))).toThrow(expect.objectContaining({ code: "not-allowed" }));
});

test("a path that is too long for the sockets in it is an error, and the longest one is not", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
  const longest = join(folder.path, "x".repeat(68 - folder.path.length - 1));
  new Home(longest).create();
  const socketPath = `${new Home(longest).sessionFolder("x".repeat(12))}/keeper.sock`;
  expect(Buffer.byteLength(socketPath)).toBeLessThanOrEqual(103); // the keeper's limit
  expect(() => new Home(`${longest}x`).create()).toThrow("it has 69 bytes, and the limit is 68");
});
