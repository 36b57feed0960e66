import { spawn } from "node:child_process";
import { once } from "node:events";
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

test("two processes that write at once lose nothing of each other's", async () => {
  const file = join(folder, "contended.json");
  const from = new URL("./tokens.ts", import.meta.url).href;
  const each = 40;
  const writers = ["one", "two"].map((label) => {
    const code = `import { Tokens } from "${from}"; process.stdout.write("ready");
      process.stdin.once("data", () => {
        const tokens = new Tokens(${JSON.stringify(file)});
        for (let count = 0; count < ${each}; count += 1) tokens.issue({ label: "${label}", scopes: ["read"] });
        process.exit(0);
      });`;
    const stdio = ["pipe", "pipe", "inherit"] as ["pipe", "pipe", "inherit"];
    return spawn(process.execPath, ["--input-type=module", "--eval", code], { stdio });
  });
  await Promise.all(writers.map((writer) => once(writer.stdout, "data")));
  const ended = writers.map((writer) => once(writer, "exit"));
  for (const writer of writers) writer.stdin.write("go");
  expect(await Promise.all(ended)).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(new Tokens(file).list()).toHaveLength(2 * each);
});
