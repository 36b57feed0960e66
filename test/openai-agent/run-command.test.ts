import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../packages/adapters/programs/openai-agent/run-command.ts";
import { Workspace } from "../../packages/adapters/programs/openai-agent/workspace.ts";

let folder: string;
let turn: AbortController;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "run-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  turn = new AbortController();
});

async function run(command: string, timeout = 20) {
  const workspace = await Workspace.at(folder);
  return runCommand.use({ command, timeout }, { workspace, signal: turn.signal });
}

async function until(fact: () => boolean): Promise<void> {
  while (!fact()) await wait(10);
}

function lives(pid: number): boolean {
  try {
    // A process that has ended but was not yet waited for does nothing any more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("it runs in the workspace, and its output and its exit code are told", async () => {
  expect(await run("pwd; echo no >&2; exit 3")).toEqual({ ok: false, output: `${folder}\nno\n\nexit code 3` });
  expect(await run("true")).toEqual({ ok: true, output: "" });
});

test("the key is not shown to it", async () => {
  process.env["OPENAI_API_KEY"] = "a-key";
  onTestFinished(() => void delete process.env["OPENAI_API_KEY"]);
  expect((await run("env")).output).not.toContain("a-key");
});

const pidsOf = (): number[] => readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number);
const parentAndChild = "sleep 1000 & echo $! > half; echo $$ >> half; mv half pids;";

test("an interrupt ends it, and what it has started", async () => {
  const running = run(`${parentAndChild} wait`);
  await until(() => existsSync(join(folder, "pids")));
  expect(pidsOf().map(lives)).toEqual([true, true]);
  turn.abort();
  expect(await running).toMatchObject({ ok: false, output: expect.stringContaining("interrupted") as string });
  await until(() => !pidsOf().some(lives));
});

test("what it leaves running is ended with it, and holds nothing up", async () => {
  expect(await run(`${parentAndChild} echo done`)).toEqual({ ok: true, output: "done\n" });
  await until(() => !pidsOf().some(lives));
});

test("it does not run for longer than it may", async () => {
  expect(await run(`${parentAndChild} wait`, 0.5)).toMatchObject({
    ok: false,
    output: expect.stringContaining("ended after 0.5 s") as string,
  });
  await until(() => !pidsOf().some(lives));
});

test("of a flood the beginning and the end are kept", async () => {
  const { output } = await run("echo first; yes | head -c 3000000; echo last");
  expect(output.length).toBeLessThan(100_000);
  expect(output).toMatch(/^first\n[^]*left out[^]*last\n$/);
});
