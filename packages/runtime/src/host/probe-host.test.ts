import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { createProbeHost } from "./probe-host.ts";

function writeProgram(text: string): { readonly path: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "fl-probe-"));
  const path = join(folder, "program");
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test("run returns the output and the exit code of a program", async () => {
  using program = writeProgram("echo 1.2.3; exit 3");
  expect(await createProbeHost(process.env, []).run(program.path, [])).toMatchObject({ code: 3, stdout: "1.2.3\n" });
});

test("run fails for a program that exceeds the timeout, even if it exits with code 0 when terminated", async () => {
  using program = writeProgram("trap 'exit 0' TERM; sleep 2 & wait");
  const { code, stderr } = await createProbeHost(process.env, [], 200).run(program.path, []);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "no result after 0.2 s" });
});

test("find ignores folders that are relative, because an agent can write those of the workspace", async () => {
  using program = writeProgram("exit 0");
  const [folder, name] = [dirname(program.path), basename(program.path)];
  expect(await createProbeHost({ PATH: relative(process.cwd(), folder) }, []).find(name)).toBeNull();
  expect(await createProbeHost({ PATH: folder }, []).find(name)).toBe(program.path);
});
