import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { tools } from "../../packages/adapters/programs/openai-agent/tools.ts";
import type { Outcome } from "../../packages/adapters/programs/openai-agent/tool.ts";
import { Workspace } from "../../packages/adapters/programs/openai-agent/workspace.ts";

let folder: string;
let inside: string;
let outside: string;
let workspace: Workspace;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "workspace-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  inside = join(folder, "inside");
  outside = join(folder, "inside-not"); // begins like the workspace, and is not in it
  for (const path of [inside, outside]) mkdirSync(path);
  writeFileSync(join(inside, "plain.txt"), "plain");
  writeFileSync(join(outside, "secret.txt"), "secret");
  workspace = await Workspace.at(inside);
});

async function use(name: string, input: object): Promise<Outcome> {
  const tool = tools.find((one) => one.name === name);
  return await tool!.use(input, { workspace, signal: new AbortController().signal });
}

describe("what is in the workspace", () => {
  test.each([["plain.txt"], ["./plain.txt"], ["no/../plain.txt"]])("%s is read", async (path) => {
    expect(await use("read_file", { path })).toMatchObject({ ok: true, output: "plain" });
  });

  test("a path may be absolute, and go by the name under which the workspace was given", async () => {
    symlinkSync(inside, join(folder, "alias"));
    workspace = await Workspace.at(join(folder, "alias"));
    for (const root of ["inside", "alias"]) {
      expect(await use("read_file", { path: join(folder, root, "plain.txt") })).toMatchObject({ ok: true });
    }
  });

  test("a link that stays inside is followed to read, but not to write", async () => {
    symlinkSync("plain.txt", join(inside, "link.txt"));
    expect(await use("read_file", { path: "link.txt" })).toMatchObject({ output: "plain" });
    expect(await use("write_file", { path: "link.txt", content: "x" })).toMatchObject({ ok: false });
    expect(readFileSync(join(inside, "plain.txt"), "utf8")).toBe("plain");
  });

  test("a file is made with its folders, and then replaced whole", async () => {
    const path = join(inside, "a/b.txt");
    const first = await use("write_file", { path: "a/b.txt", content: "a longer text" });
    expect(first.change).toEqual({ path, before: null, after: "a longer text" });
    const second = await use("write_file", { path: "a/b.txt", content: "short" });
    expect(second.change).toEqual({ path, before: "a longer text", after: "short" });
    expect(readFileSync(path, "utf8")).toBe("short");
  });

  test("files are listed, with a pattern also those below", async () => {
    await use("write_file", { path: "a/b.ts", content: "" });
    expect((await use("list_files", {})).output).toBe("a/\nplain.txt");
    expect((await use("list_files", { pattern: "**/*.ts" })).output).toBe("a/b.ts");
  });
});

/** Roads out of the workspace: how they are laid, and the path that takes them to the secret. */
const roads: readonly (readonly [string, () => string])[] = [
  ["by ..", () => "../inside-not/secret.txt"],
  ["by .. after a folder", () => "a/../../inside-not/secret.txt"],
  ["by an absolute path", () => join(outside, "secret.txt")],
  ["by a link to a file", () => lay(join(outside, "secret.txt"), "link.txt")],
  ["by a relative link", () => lay("../inside-not/secret.txt", "link.txt")],
  ["by a link to a folder", () => `${lay(outside, "door")}/secret.txt`],
  ["by a link to a link", () => lay(join(inside, lay(outside, "door"), "secret.txt"), "link.txt")],
  ["by the folder of open files", () => `${lay("/proc/self/root", "door")}${outside}/secret.txt`],
];

function lay(target: string, name: string): string {
  symlinkSync(target, join(inside, name));
  return name;
}

describe.each(roads)("out of the workspace %s", (_, road) => {
  test("nothing is read", async () => {
    const { ok, output } = await use("read_file", { path: road() });
    expect(ok).toBe(false);
    expect(output).toMatch(/is not in the workspace/);
  });

  test("nothing is written", async () => {
    expect(await use("write_file", { path: road(), content: "changed" })).toMatchObject({ ok: false });
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("secret");
  });

  test("nothing is made", async () => {
    const path = road().replace("secret.txt", "new/file.txt");
    await use("write_file", { path, content: "made" });
    expect(existsSync(join(outside, "new"))).toBe(false);
  });

  test("nothing is listed", async () => {
    const path = road().replace(/\/?secret.txt$/, "");
    expect((await use("list_files", { path, pattern: "**/*" })).output).not.toContain("secret.txt");
  });
});

test("it is not told whether something is out there", async () => {
  for (const name of ["secret.txt", "nothing.txt"]) {
    expect((await use("read_file", { path: `../inside-not/${name}` })).output).toMatch(/is not in the workspace/);
  }
});

test("a link to nowhere does not become a file out there", async () => {
  lay(join(outside, "new.txt"), "link.txt");
  expect(await use("write_file", { path: "link.txt", content: "made" })).toMatchObject({ ok: false });
  expect(existsSync(join(outside, "new.txt"))).toBe(false);
});

test("what is listed does not lie behind a link", async () => {
  lay(outside, "door");
  expect((await use("list_files", { pattern: "**/*" })).output).not.toContain("secret.txt");
});

test("a pipe that nobody writes to is not waited for", async () => {
  execFileSync("bash", ["-c", "mkfifo pipe"], { cwd: inside });
  expect(await use("read_file", { path: "pipe" })).toMatchObject({ ok: false, output: "pipe is not a file." });
});

test("a link that points inside and outside by turns lets nothing out", async () => {
  mkdirSync(join(inside, "real"));
  const over = new AbortController();
  const swapping = (async () => {
    while (!over.signal.aborted) {
      for (const target of ["real", outside]) {
        symlinkSync(target, join(inside, "next"));
        renameSync(join(inside, "next"), join(inside, "door"));
        await breathe();
      }
    }
  })();
  const read = new Set<string>();
  for (let count = 0; count < 400; count += 1) {
    await use("write_file", { path: "door/secret.txt", content: "changed" });
    read.add((await use("read_file", { path: "door/secret.txt" })).output);
  }
  over.abort();
  await swapping;
  expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("secret");
  expect(read).not.toContain("secret");
  expect(read, "it never got through at all").toContain("changed");
});
