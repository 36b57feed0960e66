import type { NetworkGate } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { judgeHost, parseTarget } from "./judge-host.ts";

const gate: NetworkGate = {
  hosts: ["api.example.com", "git.example.com:22", "1.1.1.1:443"],
  refusedHosts: ["telemetry.example.com"],
  services: ["127.0.0.1:8080", "model.internal:8443"],
  forwards: [5432],
};

function judge(text: string, answered: readonly string[] = []): string {
  const target = parseTarget(text);
  if (target === null) return "invalid";
  const { verdict, rule } = judgeHost(target, gate, new Set(answered));
  return `${verdict} ${rule}`;
}

test.each([
  ["api.example.com:443", "allowed listed"],
  ["API.Example.COM:443", "allowed listed"],
  ["api.example.com:80", "allowed listed"],
  ["git.example.com:22", "allowed listed"],
  ["1.1.1.1:443", "allowed listed"],
  ["telemetry.example.com:443", "refused not-needed"],
  ["127.0.0.1:8080", "allowed service"],
  ["2130706433:8080", "allowed service"],
  ["model.internal:8443", "allowed service"],
  ["127.0.0.1:5432", "allowed forwarded"],
  ["localhost:5432", "allowed forwarded"],
  ["x.localhost:5432", "refused private"],
])("%s is %s", (text, verdict) => expect(judge(text)).toBe(verdict));

test("a host that was allowed is allowed at its port only", () => {
  expect(judge("other.org:443", ["other.org:443"])).toBe("allowed answer");
  expect(judge("other.org:22", ["other.org:443"])).toBe("ask unlisted");
});

describe("not allowed by another spelling, or as part of another name", () => {
  test.each([
    ["api.example.com:22", "ask unlisted"],
    ["git.example.com:443", "ask unlisted"],
    ["xapi.example.com:443", "ask unlisted"],
    ["api.example.com.evil.org:443", "ask unlisted"],
    ["evil.api.example.com:443", "ask unlisted"],
    ["example.com:443", "ask unlisted"],
    ["api.example.com.:443", "invalid"],
    ["api.example.com:443@evil.org:443", "invalid"],
    ["api.example.com@evil.org:443", "invalid"],
    ["evil.org#api.example.com:443", "invalid"],
    ["evil.org/api.example.com:443", "invalid"],
    ["evil.org\\api.example.com:443", "invalid"],
    ["evil.org\0api.example.com:443", "invalid"],
    ["evil.org%00.api.example.com:443", "invalid"],
    ["api.example.com\r\nX: y:443", "invalid"],
    [" api.example.com:443", "invalid"],
    ["api.exämple.com:443", "invalid"],
    ["api。example。com:443", "invalid"],
    ["api..example.com:443", "invalid"],
    [".api.example.com:443", "invalid"],
    ["api.example.com", "invalid"],
    ["api.example.com:", "invalid"],
    ["api.example.com:0", "invalid"],
    ["api.example.com:65536", "invalid"],
    ["api.example.com:443:443", "invalid"],
    [":443", "invalid"],
    ["", "invalid"],
    [`${"a".repeat(64)}.com:443`, "invalid"],
    [`${"a.".repeat(127)}com:443`, "invalid"],
  ])("%j: %s", (text, verdict) => expect(judge(text)).toBe(verdict));
});

describe("an address is refused in every spelling", () => {
  test.each([
    "127.0.0.1:80",
    "2130706433:80",
    "0x7f000001:80",
    "0x7f.1:80",
    "0177.0.0.1:80",
    "127.1:80",
    "0:80",
    "[::1]:80",
    "[::]:80",
    "[::ffff:127.0.0.1]:80",
    "[::ffff:7f00:1]:80",
    "[64:ff9b::7f00:1]:80",
    "169.254.169.254:80",
    "[fd00:ec2::254]:80",
    "8.8.8.8:443",
    "1.1.1.1:22",
    "localhost:80",
    "LOCALHOST:80",
    "x.localhost:80",
  ])("%s", (text) => expect(judge(text)).toMatch(/^refused (?:address|private)$/));

  test.each(["[::1%25lo]:80", "[::1:80", "256.1.1.1:80", "1.2.3.4.5:80", "0x:80x"])("%s is no host", (text) =>
    expect(judge(text)).toMatch(/^invalid$|^refused/),
  );
});
