import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { probeHost } from "./probe-host.ts";

function program(text: string): { readonly path: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "fl-probe-"));
  const path = join(folder, "program");
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test("what a program says, and its exit code", async () => {
  using plain = program("echo 1.2.3; exit 3");
  expect(await probeHost(process.env, []).run(plain.path, [])).toMatchObject({ code: 3, stdout: "1.2.3\n" });
});

test("one that takes too long has failed, even if it leaves with code 0 when it is told to", async () => {
  using polite = program("trap 'exit 0' TERM; sleep 2 & wait");
  const { code, stderr } = await probeHost(process.env, [], 200).run(polite.path, []);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "it said nothing for 0.2 s" });
});
