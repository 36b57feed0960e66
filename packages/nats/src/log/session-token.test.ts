import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSessionToken, encodeSessionToken } from "./session-token.ts";

test("encodes any text as one token of a subject and decodes it again", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (session) => {
      const token = encodeSessionToken(session);
      expect(token).toMatch(/^[\w=-]+$/);
      expect(decodeSessionToken(token)).toBe(session);
    }),
  );
});

test.for(["", "=", "==00e9", "a.b", "a > *", "\ud83e", "naïve 🪢"])("encodes %j", (session) => {
  expect(decodeSessionToken(encodeSessionToken(session))).toBe(session);
});
