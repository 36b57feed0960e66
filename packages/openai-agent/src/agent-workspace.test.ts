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
import { setImmediate as yieldToOtherTasks } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { agentTools } from "./run-turn.ts";
import type { AgentToolOutcome } from "./tools/agent-tool.ts";
import { AgentWorkspace } from "./agent-workspace.ts";

let folder: string;
let inside: string;
let outside: string;
let workspace: AgentWorkspace;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "workspace-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  inside = join(folder, "inside");
  outside = join(folder, "inside-not"); // starts with the workspace's path, but is not in the workspace
  for (const path of [inside, outside]) mkdirSync(path);
  writeFileSync(join(inside, "plain.txt"), "plain");
  writeFileSync(join(outside, "secret.txt"), "secret");
  workspace = await AgentWorkspace.open(inside);
});

async function useTool(name: string, input: object): Promise<AgentToolOutcome> {
  const tool = agentTools.find((candidate) => candidate.name === name);
  return await tool!.use(input, { call: "c", workspace, signal: new AbortController().signal });
}

describe("inside the workspace", () => {
  test.each([["plain.txt"], ["./plain.txt"], ["no/../plain.txt"]])("reads %s", async (path) => {
    expect(await useTool("read_file", { path })).toMatchObject({ ok: true, output: "plain" });
  });

  test("accepts absolute paths, by the real path and by the path that the workspace was opened with", async () => {
    symlinkSync(inside, join(folder, "alias"));
    workspace = await AgentWorkspace.open(join(folder, "alias"));
    for (const root of ["inside", "alias"]) {
      expect(await useTool("read_file", { path: join(folder, root, "plain.txt") })).toMatchObject({ ok: true });
    }
  });

  test("follows a link to a file inside for reading, but not for writing", async () => {
    symlinkSync("plain.txt", join(inside, "link.txt"));
    expect(await useTool("read_file", { path: "link.txt" })).toMatchObject({ output: "plain" });
    expect(await useTool("write_file", { path: "link.txt", content: "x" })).toMatchObject({ ok: false });
    expect(readFileSync(join(inside, "plain.txt"), "utf8")).toBe("plain");
  });

  test("creates a file with its folders, and then replaces its whole content", async () => {
    const path = join(inside, "a/b.txt");
    const first = await useTool("write_file", { path: "a/b.txt", content: "a longer text" });
    expect(first.change).toEqual({ path, before: null, after: "a longer text" });
    const second = await useTool("write_file", { path: "a/b.txt", content: "short" });
    expect(second.change).toEqual({ path, before: "a longer text", after: "short" });
    expect(readFileSync(path, "utf8")).toBe("short");
  });

  test("lists the files of a folder, and with a pattern those below it", async () => {
    await useTool("write_file", { path: "a/b.ts", content: "" });
    expect((await useTool("list_files", {})).output).toBe("a/\nplain.txt");
    expect((await useTool("list_files", { pattern: "**/*.ts" })).output).toBe("a/b.ts");
  });
});

/** Ways out of the workspace: a description, and a function that creates the link and returns the path to the secret. */
const escapePaths: readonly (readonly [string, () => string])[] = [
  ["by ..", () => "../inside-not/secret.txt"],
  ["by .. after a folder", () => "a/../../inside-not/secret.txt"],
  ["by an absolute path", () => join(outside, "secret.txt")],
  ["by a link to a file", () => createLink(join(outside, "secret.txt"), "link.txt")],
  ["by a relative link", () => createLink("../inside-not/secret.txt", "link.txt")],
  ["by a link to a folder", () => `${createLink(outside, "door")}/secret.txt`],
  ["by a link to a link", () => createLink(join(inside, createLink(outside, "door"), "secret.txt"), "link.txt")],
  ["by the folder of open files", () => `${createLink("/proc/self/root", "door")}${outside}/secret.txt`],
];

function createLink(target: string, name: string): string {
  symlinkSync(target, join(inside, name));
  return name;
}

describe.each(escapePaths)("outside the workspace, %s", (_, createPath) => {
  test("reads nothing", async () => {
    const { ok, output } = await useTool("read_file", { path: createPath() });
    expect(ok).toBe(false);
    expect(output).toMatch(/is not in the workspace/);
  });

  test("writes nothing", async () => {
    expect(await useTool("write_file", { path: createPath(), content: "changed" })).toMatchObject({ ok: false });
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("secret");
  });

  test("creates nothing", async () => {
    const path = createPath().replace("secret.txt", "new/file.txt");
    await useTool("write_file", { path, content: "made" });
    expect(existsSync(join(outside, "new"))).toBe(false);
  });

  test("lists nothing", async () => {
    const path = createPath().replace(/\/?secret.txt$/, "");
    expect((await useTool("list_files", { path, pattern: "**/*" })).output).not.toContain("secret.txt");
  });
});

test("does not reveal whether a file outside exists", async () => {
  for (const name of ["secret.txt", "nothing.txt"]) {
    expect((await useTool("read_file", { path: `../inside-not/${name}` })).output).toMatch(/is not in the workspace/);
  }
});

test("does not create the missing target of a link that leads outside", async () => {
  createLink(join(outside, "new.txt"), "link.txt");
  expect(await useTool("write_file", { path: "link.txt", content: "made" })).toMatchObject({ ok: false });
  expect(existsSync(join(outside, "new.txt"))).toBe(false);
});

test("does not list files behind a link", async () => {
  createLink(outside, "door");
  expect((await useTool("list_files", { pattern: "**/*" })).output).not.toContain("secret.txt");
});

test("does not wait for a pipe without a writer", async () => {
  execFileSync("bash", ["-c", "mkfifo pipe"], { cwd: inside });
  expect(await useTool("read_file", { path: "pipe" })).toMatchObject({ ok: false, output: "pipe is not a file." });
});

test("never reads or writes outside through a link that alternates between inside and outside", async () => {
  mkdirSync(join(inside, "real"));
  const testEnd = new AbortController();
  // Also after a failure: otherwise the loop fails in the next test, when the folder is gone.
  onTestFinished(() => testEnd.abort());
  const swapping = (async () => {
    while (!testEnd.signal.aborted) {
      for (const target of ["real", outside]) {
        symlinkSync(target, join(inside, "next"));
        renameSync(join(inside, "next"), join(inside, "door"));
        await yieldToOtherTasks();
        if (testEnd.signal.aborted) return;
      }
    }
  })();
  const outputs = new Set<string>();
  // The loop also waits for one success, because the link may point outside at each of the 400 attempts.
  for (let count = 0; count < 400 || !outputs.has("changed"); count += 1) {
    await useTool("write_file", { path: "door/secret.txt", content: "changed" });
    outputs.add((await useTool("read_file", { path: "door/secret.txt" })).output);
  }
  testEnd.abort();
  await swapping;
  expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("secret");
  expect(outputs).not.toContain("secret");
});
