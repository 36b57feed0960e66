import { expect, test } from "vitest";
import { namesHost } from "./names-host.ts";

test.each([
  ["https://bank.example", "https://bank.example/", true],
  ["https://bank.example/a?b#c", "https://bank.example/a?b#c", true],
  ["https://bank.example:8443/", "https://bank.example:8443/", true],
  ["https://bank.example@evil.example/", "https://bank.example@evil.example/", false],
  ["https://bank.example:443@evil.example/", "https://bank.example:443@evil.example/", false],
  ["https://bank.example.evil.example", "https://bank.example", false],
  ["https://b\u0430nk.example/", "https://b\u0430nk.example/", false],
  ["https://bank.example", "https://evil.example/", false],
  ["the bank", "https://bank.example/", false],
])("%s leads to %s", (words, href, expected) => {
  expect(namesHost(words, new URL(href))).toBe(expected);
});
