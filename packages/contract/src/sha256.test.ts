import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "./sha256.ts";

test("equals the platform's SHA-256 for texts of every length around a block, and for long ones", () => {
  const lengths = [...Array.from({ length: 200 }, (_, length) => length), 100_000];
  for (const length of lengths) {
    const text = "aé漢🙂".repeat(length).slice(0, length);
    expect(sha256(text), `${length} characters`).toBe(createHash("sha256").update(text).digest("hex"));
  }
});
