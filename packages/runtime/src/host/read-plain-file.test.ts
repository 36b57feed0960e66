import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { PlainFile, readPlainFile } from "./read-plain-file.ts";

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

test("streams a file up to its size at the time it was opened", async () => {
  const content = "0123456789".repeat(60_000);
  writeFileSync(at("stream"), content);
  await using file = await PlainFile.open(at("stream"), content.length);
  appendFileSync(at("stream"), "later");
  const chunks = await Array.fromAsync(file?.chunks() ?? []);
  expect(chunks.length).toBeGreaterThan(1);
  expect(Buffer.concat(chunks).toString()).toBe(content);
  expect(Buffer.concat(await Array.fromAsync(file?.chunks(599_990) ?? [])).toString()).toBe("0123456789");
  truncateSync(at("stream"), 5);
  expect(Buffer.concat(await Array.fromAsync(file?.chunks() ?? [])).toString()).toBe("01234");
  await expect(PlainFile.open(at("nowhere"), 5)).resolves.toBeNull();
});

test("does not stream a pipe, a device, a folder, a link, or a file above the size limit", async () => {
  execFileSync("mkfifo", [at("pipe2")]);
  symlinkSync("/dev/zero", at("zero"));
  writeFileSync(at("long2"), "letters");
  await expect(PlainFile.open(at("pipe2"), 5)).rejects.toThrow("not a regular file");
  await expect(PlainFile.open("/dev/zero", 5)).rejects.toThrow("not a regular file");
  await expect(PlainFile.open(folder, 5)).rejects.toThrow("not a regular file");
  await expect(PlainFile.open(at("zero"), 5)).rejects.toThrow("a symbolic link");
  await expect(PlainFile.open(at("long2"), 5)).rejects.toThrow("larger than 5 bytes");
});

test.runIf(process.platform === "linux")("stops at the limit if the size is not known in advance", () => {
  // The kernel reports a size of 0 for this regular file and creates its content during the read.
  expect(() => readPlainFile("/proc/self/status", 5)).toThrow("larger than 5 bytes");
});
