import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openLab, scriptPrompt, type Lab, type LabRequest, type ScriptStep } from "@fairlead/lab";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { startAgent, type AgentProcess } from "@fairlead/testing/openai-agent/agent-process.ts";

let folder: string;
let workspace: string;
let lab: Lab;
let environment: Record<string, string>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "agent-"));
  workspace = join(folder, "workspace");
  mkdirSync(workspace);
  lab = await openLab();
  environment = { HOME: folder, OPENAI_BASE_URL: `${lab.url}/v1`, OPENAI_MODEL: "some-model" };
  onTestFinished(async () => {
    await lab[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
});

/** Returns the messages of the last request to the model. */
function lastModelMessages(): readonly { readonly role: string; readonly content: string }[] {
  const lastRequest = lab.requests.at(-1) as LabRequest;
  return (lastRequest.body as { messages: { role: string; content: string }[] }).messages;
}

const sessionParams = (): object => ({ cwd: workspace, mcpServers: [] });

async function openSession(agent: AgentProcess, mode?: string): Promise<string> {
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await agent.request<{ sessionId: string }>("session/new", sessionParams());
  if (mode !== undefined) await agent.request("session/set_mode", { sessionId, modeId: mode });
  return sessionId;
}

async function prompt(agent: AgentProcess, sessionId: string, ...steps: ScriptStep[]): Promise<{ stopReason: string }> {
  return agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: scriptPrompt(steps) }] });
}

const write: ScriptStep = { tools: [{ name: "write_file", input: { path: "note.txt", content: "written" } }] };
const run: ScriptStep = { tools: [{ name: "run_command", input: { command: "echo $$ > pid; tail -f /dev/null" } }] };
const isWritten = (): boolean => existsSync(join(workspace, "note.txt"));

/** Waits until the command runs, and returns its process id. */
async function waitForCommandPid(): Promise<number> {
  const file = join(workspace, "pid");
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await wait(10);
  return Number(readFileSync(file, "utf8"));
}

async function waitUntilGone(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8")))
    await wait(10);
}

test.each([
  ["default", true, true],
  ["accept-edits", false, true],
  ["plan", false, false],
  ["dangerously-skip-permissions", false, true],
])("mode %s: asks before it writes: %j; writes: %j", async (mode, expectsPermission, expectsFile) => {
  await using agent = startAgent([], environment);
  expect(await prompt(agent, await openSession(agent, mode), write, { text: "Done." })).toMatchObject({
    stopReason: "end_turn",
  });
  expect([agent.permissionRequests.length > 0, isWritten()]).toEqual([expectsPermission, expectsFile]);
});

test("asks before it runs a command in the mode accept-edits", async () => {
  await using agent = startAgent([], environment);
  await prompt(agent, await openSession(agent, "accept-edits"), {
    tools: [{ name: "run_command", input: { command: "true" } }],
  });
  expect(agent.permissionRequests).toHaveLength(1);
});

test("does not run a refused call, and tells the model", async () => {
  await using agent = startAgent([], environment, "no");
  await prompt(agent, await openSession(agent), write, { text: "Then not." });
  expect(isWritten()).toBe(false);
  expect(lastModelMessages().at(-1)?.content).toContain("did not allow");
});

test("ends a turn at the limit of model requests", async () => {
  await using agent = startAgent(["--max-turns", "2"], environment);
  const answer = await prompt(agent, await openSession(agent), write, write, { text: "Never said." });
  expect(answer).toMatchObject({ stopReason: "max_turn_requests" });
  expect(lab.requests).toHaveLength(2);
});

test("kills the command of a canceled turn and leaves a history that the next turn can use", async () => {
  await using agent = startAgent([], environment);
  const sessionId = await openSession(agent);
  const turn = prompt(agent, sessionId, run, { text: "Never said." });
  const pid = await waitForCommandPid();
  agent.notify("session/cancel", { sessionId });
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  await waitUntilGone(pid);
  expect(await prompt(agent, sessionId, { text: "Next turn." })).toMatchObject({ stopReason: "end_turn" });
  expect(lastModelMessages().map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"]);
});

test("does not wait for a permission after the turn is canceled", async () => {
  await using agent = startAgent([], environment, null);
  const sessionId = await openSession(agent);
  const turn = prompt(agent, sessionId, write);
  await agent.waitUntil(() => agent.permissionRequests.length > 0);
  agent.notify("session/cancel", { sessionId });
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  expect(isWritten()).toBe(false);
});

test.each([["SIGTERM" as const], ["closed stdin" as const]])("leaves no process running on %s", async (cause) => {
  await using agent = startAgent([], environment);
  void prompt(agent, await openSession(agent), run).catch(() => {});
  const pid = await waitForCommandPid();
  if (cause === "SIGTERM") process.kill(agent.pid, cause);
  else agent.closeStdin();
  expect(await agent.exit).toEqual([0, null]);
  await waitUntilGone(pid);
});

test.each([
  ["session/load", 2],
  ["session/resume", 0],
])("%s continues a conversation in a new process and replays %i messages", async (method, replayedCount) => {
  let sessionId = "";
  {
    await using first = startAgent([], environment);
    sessionId = await openSession(first);
    await prompt(first, sessionId, { text: "The word is heliotrope.", chunks: 1 });
  }
  await using second = startAgent([], environment);
  await second.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  await second.request(method, { sessionId, ...sessionParams() });
  expect(second.updates).toHaveLength(replayedCount);
  await prompt(second, sessionId, { text: "Yes." });
  expect(lastModelMessages().map(({ content }) => content)).toContain("The word is heliotrope.");
});

test.each(["session/load", "session/resume", "session/prompt"])(
  "rejects %s of an unknown conversation",
  async (method) => {
    await using agent = startAgent([], environment);
    await openSession(agent);
    const unknown = { sessionId: "11111111-1111-4111-8111-111111111111", ...sessionParams(), prompt: [] };
    await expect(agent.request(method, unknown)).rejects.toMatchObject({ code: -32002 });
  },
);

test("exits with code 1 when no conversation was opened", async () => {
  await using agent = startAgent([], environment);
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const unknown = { sessionId: "11111111-1111-4111-8111-111111111111", ...sessionParams() };
  await expect(agent.request("session/resume", unknown)).rejects.toMatchObject({ code: -32002 });
  agent.closeStdin();
  expect(await agent.exit).toEqual([1, null]);
});

test("reports the status of a model failure, and accepts the next prompt", async () => {
  await using agent = startAgent([], environment);
  const sessionId = await openSession(agent);
  await expect(prompt(agent, sessionId, { error: { status: 401 } })).rejects.toMatchObject({ data: { status: 401 } });
  expect(await prompt(agent, sessionId, { text: "Back." })).toMatchObject({ stopReason: "end_turn" });
});

test("builds the system prompt from the workspace's files and the setting, and reads nothing outside", async () => {
  writeFileSync(join(workspace, "AGENTS.md"), "Indent with tabs.");
  writeFileSync(join(workspace, "SOUL.md"), "You are called Ada.");
  writeFileSync(join(folder, "secret.txt"), "a secret");
  symlinkSync(join(folder, "secret.txt"), join(workspace, "CLAUDE.md"));
  await using agent = startAgent(["--system-prompt", "Speak of marmalade."], environment);
  await prompt(agent, await openSession(agent), { text: "Marmalade." });
  const [first] = lastModelMessages();
  expect(first?.role).toBe("system");
  for (const part of ["Indent with tabs.", "You are called Ada.", "Speak of marmalade."]) {
    expect(first?.content).toContain(part);
  }
  expect(first?.content).not.toContain("a secret");
});

test("refuses an unknown flag and an invalid value, and names it", () => {
  for (const args of [
    ["--colour", "blue"],
    ["--max-turns", "many"],
  ]) {
    const runProgram = (): void => void execFileSync(process.execPath, [programPath(), ...args], { stdio: "pipe" });
    expect(runProgram).toThrow(args[0] === "--colour" ? "--colour" : "maxTurns");
  }
});

function programPath(): string {
  return new URL("./main.ts", import.meta.url).pathname;
}
