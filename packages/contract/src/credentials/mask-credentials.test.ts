import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maskCredentials, maskCredentialsIn } from "./mask-credentials.ts";

// Joined here, so that no scanner takes this file for a leak.
const random = "a1B2".repeat(30);
const credentials: readonly string[] = [
  `sk-ab-api03-${random.slice(0, 93)}AA`,
  `sk-${random.slice(0, 48)}`,
  `ghp_${random.slice(0, 36)}`,
  `github_pat_${random.slice(0, 82)}`,
  `glpat-${random.slice(0, 20)}`,
  `AKIA${random.slice(0, 16).toUpperCase()}`,
  `AIza${random.slice(0, 35)}`,
  `xoxb-123456789012-${random.slice(0, 24)}`,
  `npm_${random.slice(0, 36)}`,
  `hf_${random.slice(0, 34)}`,
  `fl_${random.slice(0, 32)}`,
  `eyJ${random.slice(0, 30)}.eyJ${random.slice(0, 40)}.${random.slice(0, 43)}`,
];

describe("a credential", () => {
  test.each(credentials)("%s is masked, in every context", (credential) => {
    for (const [before, after] of [
      ["", ""],
      ["key=", "\n"],
      ['{"key":"', '"}'],
      ["a\\n", "\\n"],
      ["(", ")"],
    ] as const) {
      const masked = maskCredentials(`${before}${credential}${after}`);
      expect(masked).toMatch(/\*{6,}/);
      expect(masked).not.toContain(credential.slice(6, -6));
      expect(masked).toHaveLength(before.length + credential.length + after.length);
      expect(masked.startsWith(before + credential.slice(0, 4)) && masked.endsWith(after)).toBe(true);
      expect(maskCredentials(masked)).toBe(masked);
    }
  });

  test("after Bearer, in a URL, and in a private key is masked", () => {
    expect(maskCredentials(`Authorization: Bearer ${random}`)).toMatch(/^Authorization: Bearer a1B2\*+\w{6}$/);
    expect(maskCredentials("postgres://me:hunter22@db/x https://a:b@c")).toBe(
      "postgres://me:********@db/x https://a:b@c",
    );
    const key = "-----BEGIN PRIVATE KEY-----\nMIIE\nvQ==\n-----END PRIVATE KEY-----\nafter";
    expect(maskCredentials(key)).toBe("-----BEGIN PRIVATE KEY-----\n****\n****\n-----END PRIVATE KEY-----\nafter");
    expect(maskCredentials("-----BEGIN RSA PRIVATE KEY-----\nMIIE")).toBe("-----BEGIN RSA PRIVATE KEY-----\n****");
  });

  test("has a mask of its own", () => {
    const masks = Array.from({ length: 100 }, (_, at) => maskCredentials(`ghp_${String(at).padStart(36, "a")}`));
    expect(new Set(masks).size).toBe(100);
  });
});

test.each([
  "sk-navigation-link-container-wide",
  "git commit 0b9f3c1e7d524a5f9a3e2f1b6c8d7e900b9f3c1e",
  "0b9f3c1e-7d52-4a5f-9a3e-2f1b6c8d7e90",
  "task-1234567890123456789012345",
  "a basic understanding of the problem, bearer of bad news",
  "https://example.org:8080/path?a=b@c",
  "some-model-4-5-20250929",
  "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
])("%s is not a credential", (text) => {
  expect(maskCredentials(text)).toBe(text);
});

test("values of JSON are masked except identifiers, and are the same if there is nothing to mask", () => {
  const credential = credentials[2] ?? "";
  const body = { type: "x", call: credential, input: { args: ["a", { key: credential }], count: 3, none: null } };
  expect(maskCredentialsIn(body)).toEqual({
    ...body,
    input: { ...body.input, args: ["a", { key: maskCredentials(credential) }] },
  });
  // Further down, a name is the agent's, and so is a key.
  const mask = maskCredentials(credential);
  expect(
    maskCredentialsIn({ id: credential, input: { id: credential, session: [credential], [credential]: 1 } }),
  ).toEqual({
    id: credential,
    input: { id: mask, session: [mask], [mask]: 1 },
  });
  fc.assert(fc.property(fc.jsonValue(), (value) => Object.is(maskCredentialsIn(value), value)));
});
