import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MaskFactory } from "./create-masks.ts";
import { readMaskKey } from "./mask-key.ts";

const secrets = ["a-secret-value", "ünïcödé-vàlüe", "another one with spaces"];

test("each text has its own mask of the same length, which the key determines", () => {
  const masks = new MaskFactory("key").create(secrets, []);
  expect(new Set(masks.map(({ text }) => text)).size).toBe(masks.length);
  expect(new Set(masks.map(({ mask }) => mask)).size).toBe(masks.length);
  for (const { text, mask } of masks) {
    expect(Buffer.byteLength(mask)).toBe(Buffer.byteLength(text));
    expect(mask).toMatch(/^X{2,}[A-WYZa-z0-9]{6}$/);
    expect(encodeURIComponent(mask)).toBe(mask);
  }
  expect(new MaskFactory("key").create(secrets.toReversed(), []).toSorted(byText)).toEqual(masks.toSorted(byText));
  const others = new Set(new MaskFactory("other").create(secrets, []).map(({ mask }) => mask));
  expect(masks.some(({ mask }) => others.has(mask))).toBe(false);
});

const byText = ({ text: one }: { text: string }, { text: other }: { text: string }): number => (one < other ? -1 : 1);

test("a withheld text is never turned back, even if it is a secret of the launch", () => {
  const masks = new MaskFactory("key").create(secrets, [secrets[0] ?? ""]);
  const restored = new Set(masks.filter(({ restores }) => restores).map(({ text }) => text));
  expect([restored.has(secrets[0] ?? ""), restored.has(secrets[1] ?? "")]).toEqual([false, true]);
});

test("the key of a data directory is private and stays the same", () => {
  const folder = mkdtempSync(join(tmpdir(), "key-"));
  const file = join(folder, "mask-key");
  const key = readMaskKey(file);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(readMaskKey(file)).toBe(key);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readMaskKey(join(folder, "absent", "mask-key"))).toMatch(/^[0-9a-f]{64}$/);
  rmSync(folder, { recursive: true });
});
