import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readPlainFile } from "./read-plain-file.ts";

const folder = mkdtempSync(join(tmpdir(), "fl-plain-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

test("a file is read, and none is null", () => {
  writeFileSync(at("plain"), "words");
  expect(readPlainFile(at("plain"), 5)).toBe("words");
  expect(readPlainFile(at("nowhere"), 5)).toBeNull();
});

test("what would keep us waiting, lead elsewhere or never end is refused", () => {
  execFileSync("mkfifo", [at("pipe")]);
  symlinkSync("plain", at("link"));
  writeFileSync(at("long"), "letters");
  expect(() => readPlainFile(at("pipe"), 5)).toThrow("not a file");
  expect(() => readPlainFile(at("link"), 5)).toThrow("a link");
  expect(() => readPlainFile(at("long"), 5)).toThrow("more than 5 bytes");
});
