import { statSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isolatedEnvironment } from "./isolated-environment.ts";

test("inherits only PATH and LANG, and keeps all files below the folder", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "isolation-"));
  const environment = isolatedEnvironment(folder.path, { url: "http://127.0.0.1:1" });
  const inherited = Object.keys(environment).filter((name) => environment[name] === process.env[name]);
  expect(["PATH", "LANG"]).toEqual(expect.arrayContaining(inherited));
  expect(environment["ANTHROPIC_BASE_URL"]).toBe("http://127.0.0.1:1");
  for (const name of ["HOME", "TMPDIR", "CLAUDE_CONFIG_DIR"]) {
    const path = environment[name]!;
    expect(path.startsWith(folder.path)).toBe(true);
    expect(statSync(path).isDirectory()).toBe(true);
  }
});
