import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readPlainFile } from "./read-plain-file.ts";

const folder = mkdtempSync(join(tmpdir(), "fl-plain-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

test("returns the text of a file, and null if there is none", () => {
  writeFileSync(at("plain"), "words");
  expect(readPlainFile(at("plain"), 5)).toBe("words");
  expect(readPlainFile(at("nowhere"), 5)).toBeNull();
});

test("throws for a pipe, a link, and a file above the size limit", () => {
  execFileSync("mkfifo", [at("pipe")]);
  symlinkSync("plain", at("link"));
  writeFileSync(at("long"), "letters");
  expect(() => readPlainFile(at("pipe"), 5)).toThrow("not a regular file");
  expect(() => readPlainFile(at("link"), 5)).toThrow("a symbolic link");
  expect(() => readPlainFile(at("long"), 5)).toThrow("larger than 5 bytes");
});
