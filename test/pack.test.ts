import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endProcessesOfHome } from "../scripts/end-processes-of-home.ts";
import { pack } from "../scripts/pack.ts";
import { cliPackage, readWorkspacePackage } from "../scripts/packages/workspace-package.ts";
import { root } from "../scripts/run.ts";

// Below node_modules, so that Node finds third-party packages without a network.
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
  await endProcessesOfHome(home);
  for (const path of [folder, home]) rmSync(path, { recursive: true, force: true });
});

function fairlead(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { PATH: process.env["PATH"], HOME: home };
  // Not the home itself, for which there is no sandbox.
  const workspace = join(home, "project");
  mkdirSync(workspace, { recursive: true });
  return spawnSync(process.execPath, [join(installed, "dist/src/main.js"), ...args], {
    cwd: workspace,
    env,
    encoding: "utf8",
  });
}

it("contains the license, and no sources, tests or fixtures", () => {
  expect(files).toEqual(expect.arrayContaining(["README.md", "package.json", "dist/src/main.js"]));
  expect(readFileSync(join(installed, "LICENSE"), "utf8")).toContain("Apache License");
  expect(files.filter((file) => /\.ts$|\.map$|tsbuildinfo|test|fixtures/.test(file))).toEqual([]);
});

it("contains the built page, and none of its libraries", () => {
  const page = "node_modules/@fairlead/web/dist/page";
  expect(files).toContain(`${page}/index.html`);
  const assets = files.filter((file) => file.startsWith(`${page}/assets/`));
  for (const extension of [".js", ".js.br", ".js.gz", ".css"])
    expect(assets.filter((file) => file.endsWith(extension)).length, extension).toBeGreaterThan(0);
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    dependencies: object;
  };
  expect(Object.keys(dependencies)).toContain("@fairlead/web");
  expect(Object.keys(dependencies).filter((name) => /react|vite|tailwind|xterm/.test(name))).toEqual([]);
});

it("contains no path of this machine and no registry", () => {
  const offendingFiles = files
    .filter((file) => /\.js(on)?$/.test(file))
    .filter((file) => {
      const text = readFileSync(join(installed, file), "utf8");
      return text.includes(root) || /registry\.\w+\.(org|com|net|dev|io)\b/.test(text);
    });
  expect(offendingFiles).toEqual([]);
});

it("says on an older Node which one it needs", () => {
  const main = join(installed, "dist/src/main.js");
  // An older Node reads the file before it runs it: a name that a module lacks would be a SyntaxError.
  expect(readFileSync(main, "utf8")).not.toMatch(/import \{[^}]*\} from "node:(?!os"|path")/);
  const pretend = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})';
  const olderNodes = ["/usr/bin/node", "/usr/local/bin/node"].filter((path) => {
    const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout;
    return typeof version === "string" && Number.parseInt(version.slice(1), 10) < 24;
  });
  const commands = [
    [process.execPath, "--import", `data:text/javascript,${pretend}`],
    ...olderNodes.map((path) => [path]),
  ];
  for (const [program = "", ...flags] of commands) {
    const { status, stderr } = spawnSync(program, [...flags, main, "ls"], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^fairlead: Node 24 or newer is needed; this is Node \d+\.\d+\.\d+\. See .*\n$/),
    });
  }
});

it("depends on exact versions of third-party packages", () => {
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

it("runs the installed CLI", () => {
  expect(fairlead("--version")).toMatchObject({ status: 0, stdout: `${readWorkspacePackage(cliPackage).version}\n` });
  const { status, stdout, stderr } = fairlead("run", "scripted", "--mode", "full-auto", "Say hello");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("Hello from the scripted agent.");
});
