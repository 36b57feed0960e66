import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openLab, script, type Lab, type LabRequest, type Step } from "@fairlead/lab";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { start, type Started } from "./program.ts";

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

/** The messages that the model was shown last. */
function shown(): readonly { readonly role: string; readonly content: string }[] {
  const asked = lab.requests.at(-1) as LabRequest;
  return (asked.body as { messages: { role: string; content: string }[] }).messages;
}

const place = (): object => ({ cwd: workspace, mcpServers: [] });

async function open(agent: Started, mode?: string): Promise<string> {
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await agent.request<{ sessionId: string }>("session/new", place());
  if (mode !== undefined) await agent.request("session/set_mode", { sessionId, modeId: mode });
  return sessionId;
}

async function prompt(agent: Started, sessionId: string, ...steps: Step[]): Promise<{ stopReason: string }> {
  return agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: script(steps) }] });
}

const write: Step = { tools: [{ name: "write_file", input: { path: "note.txt", content: "written" } }] };
const run: Step = { tools: [{ name: "run_command", input: { command: "echo $$ > pid; tail -f /dev/null" } }] };
const isWritten = (): boolean => existsSync(join(workspace, "note.txt"));

/** The process of the command, once it runs. */
async function commandOf(): Promise<number> {
  const file = join(workspace, "pid");
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await wait(10);
  return Number(readFileSync(file, "utf8"));
}

async function gone(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8")))
    await wait(10);
}

test.each([
  ["default", true, true],
  ["accept-edits", false, true],
  ["plan", false, false],
  ["dangerously-skip-permissions", false, true],
])("in the mode %s: asks to write %j, writes %j", async (mode, asks, writes) => {
  await using agent = start([], environment);
  expect(await prompt(agent, await open(agent, mode), write, { text: "Done." })).toMatchObject({
    stopReason: "end_turn",
  });
  expect([agent.asked.length > 0, isWritten()]).toEqual([asks, writes]);
});

test("accept-edits still asks before a command is run", async () => {
  await using agent = start([], environment);
  await prompt(agent, await open(agent, "accept-edits"), {
    tools: [{ name: "run_command", input: { command: "true" } }],
  });
  expect(agent.asked).toHaveLength(1);
});

test("what is refused is not done, and the model is told", async () => {
  await using agent = start([], environment, "no");
  await prompt(agent, await open(agent), write, { text: "Then not." });
  expect(isWritten()).toBe(false);
  expect(shown().at(-1)?.content).toContain("did not allow");
});

test("a turn ends at its limit of steps", async () => {
  await using agent = start(["--max-turns", "2"], environment);
  const answer = await prompt(agent, await open(agent), write, write, { text: "Never said." });
  expect(answer).toMatchObject({ stopReason: "max_turn_requests" });
  expect(lab.requests).toHaveLength(2);
});

test("a cancelled turn ends its command and leaves a history that can go on", async () => {
  await using agent = start([], environment);
  const sessionId = await open(agent);
  const turn = prompt(agent, sessionId, run, { text: "Never said." });
  const pid = await commandOf();
  agent.notify("session/cancel", { sessionId });
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  await gone(pid);
  expect(await prompt(agent, sessionId, { text: "On we go." })).toMatchObject({ stopReason: "end_turn" });
  expect(shown().map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"]);
});

test("a cancelled turn does not wait for an answer to its question", async () => {
  await using agent = start([], environment, null);
  const sessionId = await open(agent);
  const turn = prompt(agent, sessionId, write);
  await agent.until(() => agent.asked.length > 0);
  agent.notify("session/cancel", { sessionId });
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  expect(isWritten()).toBe(false);
});

test.each([["SIGTERM" as const], ["hanging up" as const]])("on %s it leaves nothing running", async (how) => {
  await using agent = start([], environment);
  void prompt(agent, await open(agent), run).catch(() => {});
  const pid = await commandOf();
  if (how === "SIGTERM") process.kill(agent.pid, how);
  else agent.hangUp();
  expect(await agent.exit).toEqual([0, null]);
  await gone(pid);
});

test.each([
  ["session/load", 2],
  ["session/resume", 0],
])("after %s a conversation goes on in a new process, and %i messages are told again", async (method, told) => {
  let sessionId = "";
  {
    await using first = start([], environment);
    sessionId = await open(first);
    await prompt(first, sessionId, { text: "The word is heliotrope.", chunks: 1 });
  }
  await using second = start([], environment);
  await second.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  await second.request(method, { sessionId, ...place() });
  expect(second.updates).toHaveLength(told);
  await prompt(second, sessionId, { text: "Yes." });
  expect(shown().map(({ content }) => content)).toContain("The word is heliotrope.");
});

test.each(["session/load", "session/resume", "session/prompt"])(
  "%s of an unknown conversation is an error",
  async (method) => {
    await using agent = start([], environment);
    await open(agent);
    const unknown = { sessionId: "11111111-1111-4111-8111-111111111111", ...place(), prompt: [] };
    await expect(agent.request(method, unknown)).rejects.toMatchObject({ code: -32002 });
  },
);

test("when there was no conversation, the exit code says so", async () => {
  await using agent = start([], environment);
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const unknown = { sessionId: "11111111-1111-4111-8111-111111111111", ...place() };
  await expect(agent.request("session/resume", unknown)).rejects.toMatchObject({ code: -32002 });
  agent.hangUp();
  expect(await agent.exit).toEqual([1, null]);
});

test("a failure of the model carries its status, and the session goes on", async () => {
  await using agent = start([], environment);
  const sessionId = await open(agent);
  await expect(prompt(agent, sessionId, { error: { status: 401 } })).rejects.toMatchObject({ data: { status: 401 } });
  expect(await prompt(agent, sessionId, { text: "Back." })).toMatchObject({ stopReason: "end_turn" });
});

test("the system prompt has the files of the workspace and what was set, but nothing from outside", async () => {
  writeFileSync(join(workspace, "AGENTS.md"), "Indent with tabs.");
  writeFileSync(join(workspace, "SOUL.md"), "You are called Ada.");
  writeFileSync(join(folder, "secret.txt"), "a secret");
  symlinkSync(join(folder, "secret.txt"), join(workspace, "CLAUDE.md"));
  await using agent = start(["--system-prompt", "Speak of marmalade."], environment);
  await prompt(agent, await open(agent), { text: "Marmalade." });
  const [first] = shown();
  expect(first?.role).toBe("system");
  for (const part of ["Indent with tabs.", "You are called Ada.", "Speak of marmalade."]) {
    expect(first?.content).toContain(part);
  }
  expect(first?.content).not.toContain("a secret");
});

test("a flag that is not known, or not right, is refused in a sentence", () => {
  for (const args of [
    ["--colour", "blue"],
    ["--max-turns", "many"],
  ]) {
    const refused = (): void => void execFileSync(process.execPath, [programOf(), ...args], { stdio: "pipe" });
    expect(refused).toThrow(args[0] === "--colour" ? "--colour" : "maxTurns");
  }
});

function programOf(): string {
  return new URL("../../packages/adapters/programs/openai-agent.ts", import.meta.url).pathname;
}
