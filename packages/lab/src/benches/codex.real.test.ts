import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { listSessionProcesses, ScenarioRun, type ModelStep, type TestBench } from "@fairlead/conformance";
import type { Adapter, PermissionMode } from "@fairlead/contract";
import { expect, test } from "vitest";
import { scriptPrompt, type ScriptStep } from "../script.ts";
import { openCodexBench } from "./codex.ts";

const codex = adapters.find(({ manifest }) => manifest.id === "codex") as Adapter;

/** The same program, probed as if it had no app server. */
const withoutServer: Adapter = {
  ...codex,
  async probe(host) {
    const probeResult = await codex.probe(host);
    return { ...probeResult, flags: probeResult.flags.filter((flag) => flag !== "app-server") };
  },
};

async function openScenarioRun(adapter: Adapter): Promise<{ run: ScenarioRun; bench: TestBench } & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "cx-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const bench = stack.use(await openCodexBench(join(folder, "s")));
  const run = stack.use(await ScenarioRun.open(adapter, bench, folder));
  return { run, bench, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Runs one turn of the real program. It leaves approvals open, so that a test can see whether the agent asks. */
async function runTurn(
  options: { readonly settings?: object; readonly mode?: PermissionMode; readonly adapter?: Adapter },
  ...steps: ModelStep[]
): Promise<{ run: ScenarioRun; context: string; noteWritten: boolean } & AsyncDisposable> {
  const { adapter = codex, ...start } = options;
  const opened = await openScenarioRun(adapter);
  const { run, bench } = opened;
  await run.start(start);
  await run.runSteps(...steps);
  const isTurnSettled = (): boolean =>
    run.eventsOfType("turn.ended").length + run.eventsOfType("decision.requested").length > 0;
  await run.waitUntil(isTurnSettled, "the end of the turn or a decision");
  return {
    run,
    context: (await bench.readModelContext?.()) ?? "",
    noteWritten: existsSync(join(run.workspace, "note.txt")),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

const writeStep: ModelStep = { actions: [{ write: { path: "note.txt", content: "x" } }] };
/** A command that does not ask to leave the sandbox. */
const sandboxedCommandStep = (cmd: string): ScriptStep => ({ tools: [{ name: "exec_command", input: { cmd } }] });

test("sends the model setting to the model API, and it overrides the same option", async () => {
  const settings = { model: "gpt-5.5", options: { model: "gpt-5.6-sol", model_reasoning_effort: "low" } };
  await using turn = await runTurn({ settings }, { text: "Yes." });
  expect(JSON.parse(turn.context)).toMatchObject({ model: "gpt-5.5", reasoning: { effort: "low" } });
});

test("default asks before it writes a file, and shows the change", async () => {
  await using turn = await runTurn({}, writeStep, { text: "Done." });
  const [request] = turn.run.eventsOfType("decision.requested");
  expect(request).toMatchObject({ tool: "apply_patch", input: { changes: [{ kind: "add", diff: "x\n" }] } });
  expect(turn.noteWritten).toBe(false);
});

test("accept-edits writes without asking", async () => {
  await using turn = await runTurn({ mode: "accept-edits" }, writeStep, { text: "Done." });
  expect(turn.run.eventsOfType("decision.requested")).toEqual([]);
  expect(turn.noteWritten).toBe(true);
});

test("plan writes no file", async () => {
  await using turn = await runTurn({ mode: "plan" }, writeStep, { text: "That was the plan." });
  expect(turn.run.eventsOfType("decision.requested")).toEqual([]);
  expect(turn.noteWritten).toBe(false);
});

test("dangerously-skip-permissions does not ask and runs commands without a sandbox", async () => {
  await using opened = await openScenarioRun(codex);
  const { run } = opened;
  await run.start({ mode: "dangerously-skip-permissions" });
  await run.session.send(scriptPrompt([sandboxedCommandStep("echo x > note.txt"), { text: "Done." }]));
  await run.waitForEvent("turn.ended");
  expect(run.eventsOfType("decision.requested")).toEqual([]);
  expect(existsSync(join(run.workspace, "note.txt"))).toBe(true);
});

test("reports a command that the sandbox stops, although the program emits no event for it", async () => {
  await using opened = await openScenarioRun(codex);
  const { run } = opened;
  await run.start();
  await run.session.send(scriptPrompt([sandboxedCommandStep("touch note.txt"), { text: "It did not work." }]));
  await run.waitForEvent("turn.ended");
  // On a slow machine the program does emit an event for it, which spells the input in another way.
  const [requested, ...others] = run.eventsOfType("tool.requested");
  expect(requested?.name).toBe("exec_command");
  expect(JSON.stringify(requested?.input)).toContain("touch note.txt");
  expect(others).toEqual([]);
  const [ended] = run.eventsOfType("tool.ended");
  expect(ended).toMatchObject({ ok: false, reason: "failed", output: expect.stringMatching(/read-only/i) as string });
  expect(existsSync(join(run.workspace, "note.txt"))).toBe(false);
});

test("reports the output of a command while it runs", async () => {
  await using opened = await openScenarioRun(codex);
  const { run } = opened;
  const session = await run.start();
  await run.runSteps({ actions: [{ run: "for i in 1 2 3; do echo line $i; sleep 1; done" }] }, { text: "Done." });
  const { decision } = await run.waitForEvent("decision.requested");
  await session.answer(decision, { type: "allow" });
  const progressed = await run.waitForEvent("tool.progressed");
  expect(run.eventsOfType("tool.ended")).toEqual([]);
  expect(progressed.output).toMatch(/^line \d\n/);
  await run.waitForEvent("turn.ended");
  expect(run.eventsOfType("tool.ended")[0]?.output).toContain(progressed.output);
});

test("says that another process has the conversation open, and what to do", async () => {
  await using opened = await openScenarioRun(codex);
  const { run, bench } = opened;
  const { id } = await run.start();
  await run.runSteps({ text: "The first." });
  await run.waitForEvent("turn.ended");
  const agentSessionId = run.session.state.agentSessionId ?? "";
  const continues = { session: id, agentSessionId, outcome: "native" } as const;
  const options = { agent: "codex", workspace: run.workspace, settings: bench.settings, continues };
  const second = await run.runtime.start(options);
  const bodies = (await Array.fromAsync(second.stream())).flatMap((item) => ("body" in item ? [item.body] : []));
  expect(bodies.find(({ type }) => type === "error.raised")).toMatchObject({
    category: "conversation-in-use",
    message: expect.stringMatching(/active writer\. Close the other Codex/) as string,
  });
  expect(bodies.at(-1)).toMatchObject({ type: "session.ended", reason: "failed" });
  await run.runSteps({ text: "Still here." });
  expect((await run.waitForEvent("turn.ended", 2)).outcome).toBe("completed");
});

test("opens its own terminal without the shared background server", async () => {
  await using opened = await openScenarioRun(codex);
  const { run } = opened;
  const session = await run.start();
  await run.runSteps({ text: "The first." });
  await run.waitForEvent("turn.ended");
  await session.takeOver({ columns: 100, rows: 40 });
  const commands = listSessionProcesses(session.id).map(({ command }) => command);
  expect(commands.filter((command) => command.includes(" resume "))).not.toEqual([]);
  expect(commands.filter((command) => /daemon/.test(command))).toEqual(
    commands.filter((command) => / resume --no-daemon /.test(command)),
  );
  await session.handBack();
});

test("passes the message of a denial to the model", async () => {
  await using opened = await openScenarioRun(codex);
  const { run, bench } = opened;
  const session = await run.start();
  await run.runSteps(writeStep, { text: "Then not." });
  const request = await run.waitForEvent("decision.requested");
  await session.answer(request.decision, { type: "deny", message: "Not that file.", interrupt: false });
  await run.waitForEvent("turn.ended");
  expect(await bench.readModelContext?.()).toContain("Not that file.");
});

test("without an app server, warns, uses the sandbox of the mode and continues the conversation", async () => {
  await using opened = await openScenarioRun(withoutServer);
  const { run, bench } = opened;
  await run.start({ mode: "accept-edits" });
  const before = await run.runSteps({ text: "I write.", ...writeStep }, { text: "Done." });
  await run.waitForEvent("turn.ended");
  await run.runSteps({ text: "And on." });
  await run.waitForEvent("turn.ended", 2);
  expect(run.eventsOfType("session.started")[0]?.protocol).toBe("exec");
  expect(run.eventsOfType("status.reported")[0]?.message).toContain("cannot ask");
  expect(run.eventsOfType("turn.ended").map(({ outcome }) => outcome)).toEqual(["completed", "completed"]);
  expect(run.eventsOfType("text.ended").map(({ text }) => text)).toEqual(["I write.", "Done.", "And on."]);
  expect(run.eventsOfType("file.changed")).toMatchObject([{ change: "created" }]);
  expect(await bench.readModelContext?.()).toContain(before.slice(0, 20));
});

test("probes a program without an app server and reports the problem", async () => {
  const run = async (_: string, [argument]: readonly string[]) => ({
    code: 0,
    stdout: argument === "--version" ? "codex-cli 0.20.0" : "Commands:\n  exec  Run without a person\n",
    stderr: "",
  });
  const host = { find: async () => "/bin/codex", run, hasVariable: () => true, exists: async () => true };
  const probeResult = await codex.probe(host);
  expect(probeResult).toMatchObject({ installed: true, version: "0.20.0" });
  expect(probeResult.problems).toEqual([expect.stringContaining("codex-exec")]);
});
