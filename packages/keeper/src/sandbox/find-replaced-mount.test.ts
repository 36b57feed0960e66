import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { until } from "@fairlead/testing/keeper/test-session-folder.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findReplacedMount, listMountedPaths } from "./find-replaced-mount.ts";

let root: string;
let folder: string;
let file: string;
let bwrap: ChildProcess | undefined;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "mounts-")));
  [folder, file] = [join(root, "workspace"), join(root, "workspace/inner/file")];
  mkdirSync(join(folder, "inner"), { recursive: true });
  mkdirSync(join(root, "secret/inner"), { recursive: true });
  writeFileSync(file, "");
  writeFileSync(join(root, "secret/inner/file"), "");
});
afterEach(() => {
  bwrap?.kill("SIGKILL");
  rmSync(root, { recursive: true });
});

/** Starts bubblewrap, which waits when it has mounted the paths. Returns its process in the sandbox. */
async function mount(paths: readonly string[]): Promise<number> {
  const mounts = paths.flatMap((path) => ["--ro-bind", path, path]);
  const args = ["--unshare-user", "--unshare-pid", "--die-with-parent", "--ro-bind", "/usr", "/usr", ...mounts];
  bwrap = spawn("bwrap", [...args, "--json-status-fd", "3", "--block-fd", "4", "--", "/usr/bin/true"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  let status = "";
  (bwrap.stdio[3] as Readable).on("data", (chunk: Buffer) => (status += chunk.toString()));
  const init = Number(await until(() => /"child-pid": *(\d+)/.exec(status)?.[1]));
  await until(() => findReplacedMount(init, []) === null);
  return init;
}

test("what is mounted is what is on the disk", async () => {
  const init = await mount([folder, file]);
  expect(findReplacedMount(init, [folder, file])).toBeNull();
});

test.each(["workspace", "workspace/inner"])(
  "%s that was a link at the mount is found, also when it is none again",
  async (name) => {
    const [path, target] = [join(root, name), join(root, name.replace("workspace", "secret"))];
    renameSync(path, `${root}/moved`);
    symlinkSync(target, path);
    const init = await mount([file]);
    expect(findReplacedMount(init, [file])).toBe(file);
    rmSync(path);
    renameSync(`${root}/moved`, path);
    expect(findReplacedMount(init, [file])).toBe(file);
  },
);

test("a path that was not mounted or was removed is found", async () => {
  const init = await mount([folder]);
  expect(findReplacedMount(init, [join(root, "secret")])).toBe(join(root, "secret"));
  renameSync(folder, `${root}/moved`);
  expect(findReplacedMount(init, [folder])).toBe(folder);
});

test("thousands of paths are compared with few descriptors", async () => {
  const init = await mount([folder]);
  const paths = Array.from({ length: 3000 }, (_, index) => join(folder, `folder${index}`, "file"));
  for (const path of paths) {
    mkdirSync(dirname(path));
    writeFileSync(path, "");
  }
  const list = join(root, "list");
  writeFileSync(list, JSON.stringify([file, ...paths]));
  const program = `const { findReplacedMount } = await import(${JSON.stringify(new URL("find-replaced-mount.ts", import.meta.url).href)});
    console.log(findReplacedMount(${init}, JSON.parse(require("node:fs").readFileSync(${JSON.stringify(list)}, "utf8"))));`;
  const limited = ["-c", 'ulimit -n 100 && exec "$0" "$@"', process.execPath, "--input-type=commonjs", "-e"];
  expect(execFileSync("sh", [...limited, `(async () => { ${program} })()`], { encoding: "utf8" })).toBe("null\n");
});

test("a process that has ended is not compared", () => {
  expect(findReplacedMount(2 ** 22 + 1, [folder])).toBeUndefined();
});

test("mounts of the system and of other files are not compared", () => {
  const mounts = [
    "--ro-bind",
    "/usr",
    "/usr",
    "--ro-bind",
    "/proc/sys",
    "/proc/sys",
    "--ro-bind",
    "/dev/null",
    "/w/socket",
  ];
  expect(listMountedPaths(["--setenv", "A", "A", "--tmpfs", "/tmp", ...mounts, "--bind", "/w", "/w"])).toEqual(["/w"]);
});
