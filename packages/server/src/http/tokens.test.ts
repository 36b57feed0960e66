import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Tokens } from "./tokens.ts";

const folder = mkdtempSync(join(tmpdir(), "tokens-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a token is known again by another process, is not in the file, and is gone once revoked", () => {
  const file = join(folder, "tokens.json");
  const token = new Tokens(file).issue({ label: "phone", scopes: ["read"] });
  expect(Buffer.from(token.slice(3), "base64url")).toHaveLength(32);
  expect(readFileSync(file, "utf8")).not.toContain(token.slice(3));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(new Tokens(file).find(token)).toMatchObject({ label: "phone", scopes: ["read"] });
  expect(new Tokens(file).find(`${token}x`)).toBeNull();
  expect(new Tokens(file).revoke("phone")).toBe(1);
  expect(new Tokens(file).find(token)).toBeNull();
});

test("one for an agent is bound to a session and good for nothing else", () => {
  const tokens = new Tokens(join(folder, "agents.json"));
  expect(() => tokens.issue({ label: "agent", scopes: ["report"] })).toThrow("bound to a session");
  expect(() => tokens.issue({ label: "agent", scopes: ["report", "approve"], session: "s" })).toThrow("nothing else");
});

test("a file that cannot be read lets nobody in", () => {
  const file = join(folder, "broken.json");
  writeFileSync(file, "[{}]");
  expect(() => new Tokens(file).find("x")).toThrow("cannot be read");
});
