import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { runCommandTool } from "./run-command-tool.ts";
import { AgentWorkspace } from "../agent-workspace.ts";

let folder: string;
let turn: AbortController;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "run-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  turn = new AbortController();
});

async function run(command: string, timeout = 20) {
  const workspace = await AgentWorkspace.open(folder);
  return runCommandTool.use({ command, timeout }, { call: "c", workspace, signal: turn.signal });
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(10);
}

function isAlive(pid: number): boolean {
  try {
    // A zombie has exited; only its parent has not collected its status.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("runs in the workspace and returns the output and the exit code", async () => {
  expect(await run("pwd; echo no >&2; exit 3")).toEqual({ ok: false, output: `${folder}\nno\n\nexit code 3` });
  expect(await run("true")).toEqual({ ok: true, output: "" });
});

test("hides the key from the command", async () => {
  process.env["OPENAI_API_KEY"] = "a-key";
  onTestFinished(() => void delete process.env["OPENAI_API_KEY"]);
  expect((await run("env")).output).not.toContain("a-key");
});

const readPids = (): number[] => readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number);
const parentAndChild = "sleep 1000 & echo $! > half; echo $$ >> half; mv half pids;";

test("kills the command and its children on an interrupt", async () => {
  const running = run(`${parentAndChild} wait`);
  await waitUntil(() => existsSync(join(folder, "pids")));
  expect(readPids().map(isAlive)).toEqual([true, true]);
  turn.abort();
  expect(await running).toMatchObject({ ok: false, output: expect.stringContaining("interrupted") as string });
  await waitUntil(() => !readPids().some(isAlive));
});

test("kills processes that the command leaves running, and does not wait for them", async () => {
  expect(await run(`${parentAndChild} echo done`)).toEqual({ ok: true, output: "done\n" });
  await waitUntil(() => !readPids().some(isAlive));
});

test("kills the command and its children at the timeout", async () => {
  expect(await run(`${parentAndChild} wait`, 0.5)).toMatchObject({
    ok: false,
    output: expect.stringContaining("ended after 0.5 s") as string,
  });
  await waitUntil(() => !readPids().some(isAlive));
});

test("keeps the start and the end of a very long output", async () => {
  const { output } = await run("echo first; yes | head -c 3000000; echo last");
  expect(output.length).toBeLessThan(100_000);
  expect(output).toMatch(/^first\n[^]*left out[^]*last\n$/);
});
