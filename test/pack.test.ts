import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endAllOf } from "../scripts/end-all-of.ts";
import { pack } from "../scripts/pack.ts";
import { root } from "../scripts/run.ts";

// Below our node_modules, so that what npm would fetch is found without a network.
const cache = join(root, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "pack-"));
const home = mkdtempSync(join(tmpdir(), "p-"));
const installed = join(folder, "package");
let files: readonly string[] = [];

beforeAll(async () => {
  const { tarball } = await pack(folder);
  execFileSync("tar", ["--extract", "--file", tarball, "--directory", folder]);
  files = globSync("**/*.*", { cwd: installed });
}, 120_000);
afterAll(async () => {
  await endAllOf(home);
  for (const one of [folder, home]) rmSync(one, { recursive: true, force: true });
});

function fairlead(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { PATH: process.env["PATH"], HOME: home };
  return spawnSync(process.execPath, [join(installed, "dist/src/main.js"), ...words], {
    cwd: home,
    env,
    encoding: "utf8",
  });
}

it("has the licence, and nothing that is not for users", () => {
  expect(files).toEqual(expect.arrayContaining(["README.md", "package.json", "dist/src/main.js"]));
  expect(readFileSync(join(installed, "LICENSE"), "utf8")).toContain("Apache License");
  expect(files.filter((file) => /\.ts$|\.map$|tsbuildinfo|test|fixtures/.test(file))).toEqual([]);
});

it("knows nothing of this machine or of a registry", () => {
  const telling = files
    .filter((file) => /\.js(on)?$/.test(file))
    .filter((file) => {
      const text = readFileSync(join(installed, file), "utf8");
      return text.includes(root) || /registry\.\w+\.(org|com|net|dev|io)\b/.test(text);
    });
  expect(telling).toEqual([]);
});

it("wants exact versions of what others have made", () => {
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

it("runs", () => {
  expect(fairlead("--version")).toMatchObject({ status: 0, stdout: "0.1.0\n" });
  const { status, stdout, stderr } = fairlead("run", "scripted", "--mode", "full-auto", "Say hello");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("Hello from the scripted agent.");
});
