import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileTokenStore } from "@fairlead/engine";
import { afterAll, expect, test } from "vitest";
import { AccessTokens } from "./access-tokens.ts";

const folder = mkdtempSync(join(tmpdir(), "tokens-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("another process finds an issued token, the file does not contain it, and a revoked token is gone", async () => {
  const file = join(folder, "tokens.json");
  const token = await new AccessTokens(new FileTokenStore(file)).issue({ label: "phone", scopes: ["read"] });
  expect(Buffer.from(token.slice(3), "base64url")).toHaveLength(32);
  expect(readFileSync(file, "utf8")).not.toContain(token.slice(3));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(new AccessTokens(new FileTokenStore(file)).find(token)).toMatchObject({ label: "phone", scopes: ["read"] });
  expect(new AccessTokens(new FileTokenStore(file)).find(`${token}x`)).toBeNull();
  expect(await new AccessTokens(new FileTokenStore(file)).revoke("phone")).toBe(1);
  expect(new AccessTokens(new FileTokenStore(file)).find(token)).toBeNull();
});

test("rejects every token if the file cannot be read", () => {
  const file = join(folder, "broken.json");
  writeFileSync(file, "[{}]");
  expect(() => new AccessTokens(new FileTokenStore(file)).find("x")).toThrow("cannot be read");
});

test("two processes that write at the same time lose no token", async () => {
  const file = join(folder, "contended.json");
  const tokensModule = new URL("./access-tokens.ts", import.meta.url).href;
  const tokensPerWriter = 40;
  const writers = ["one", "two"].map((label) => {
    const code = `import { FileTokenStore } from "@fairlead/engine";
      import { AccessTokens } from "${tokensModule}"; process.stdout.write("ready");
      process.stdin.once("data", async () => {
        const tokens = new AccessTokens(new FileTokenStore(${JSON.stringify(file)}));
        for (let count = 0; count < ${tokensPerWriter}; count += 1) await tokens.issue({ label: "${label}", scopes: ["read"] });
        process.exit(0);
      });`;
    const stdio = ["pipe", "pipe", "inherit"] as ["pipe", "pipe", "inherit"];
    return spawn(process.execPath, ["--input-type=module", "--eval", code], { stdio, cwd: import.meta.dirname });
  });
  await Promise.all(writers.map((writer) => once(writer.stdout, "data")));
  const exits = writers.map((writer) => once(writer, "exit"));
  for (const writer of writers) writer.stdin.write("go");
  expect(await Promise.all(exits)).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(new AccessTokens(new FileTokenStore(file)).list()).toHaveLength(2 * tokensPerWriter);
});
