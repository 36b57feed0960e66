import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeSecret } from "./encode-secret.ts";

const secret = 'aK9/x+"é\\ü?<b>&7=z ~*';
const escape = (text: string): string => JSON.stringify(text).slice(1, -1);
const contains = (text: string, value = secret): boolean => encodeSecret(value).some((one) => text.includes(one));

test.each([
  ["as it is", secret],
  ["in JSON", JSON.stringify({ text: secret })],
  ["in JSON in JSON", JSON.stringify({ text: JSON.stringify({ text: secret }) })],
  ["in JSON in JSON in JSON", JSON.stringify(JSON.stringify(JSON.stringify(secret)))],
  ["in JSON of ASCII", escape(secret).replaceAll("é", "\\u00e9").replaceAll("ü", "\\u00fc")],
  ["in JSON for HTML", escape(secret).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026")],
  ["in a URL", new URL(`http://x/?q=${encodeURIComponent(secret)}`).href],
  ["in a form", new URLSearchParams({ q: secret }).toString()],
  ["in lower-case percent encoding", encodeURIComponent(secret).toLowerCase().replace("ak9", "aK9")],
  ["in hex", Buffer.from(`key=${secret}`).toString("hex")],
  ["in upper-case hex", Buffer.from(`key=${secret}`).toString("hex").toUpperCase()],
])("a secret is found %s", (_, text) => {
  expect(contains(text)).toBe(true);
});

test("a secret is found in base64 of anything around it, in both alphabets", () => {
  const anyAround = fc.tuple(fc.string({ minLength: 8, unit: "grapheme" }), fc.uint8Array(), fc.uint8Array());
  fc.assert(
    fc.property(anyAround, fc.constantFrom("base64", "base64url"), ([text, before, after], encoding) => {
      const value = text.replace(/\s/g, "x");
      const bytes = Buffer.concat([before, Buffer.from(value), after]);
      expect(contains(bytes.toString(encoding as BufferEncoding), value)).toBe(true);
    }),
  );
});

test("lines and long values are masked in pieces that a keeper accepts", () => {
  const lines = ["-----BEGIN KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "q7x", "-----END KEY-----"];
  expect(encodeSecret(lines.join("\r\n"))).toContain(lines[1]);
  expect(encodeSecret(lines.join("\n")).some((text) => text.includes("BEGIN"))).toBe(false);
  const long = randomBytes(1500).toString("hex");
  const pieces = encodeSecret(long).filter((text) => long.includes(text));
  expect(pieces.join("")).toHaveLength(3000);
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      for (const one of encodeSecret(text)) {
        expect(one).not.toMatch(/\n/);
        expect(Buffer.byteLength(one)).toBeGreaterThanOrEqual(8);
        expect(Buffer.byteLength(one)).toBeLessThanOrEqual(1024);
      }
    }),
  );
});
