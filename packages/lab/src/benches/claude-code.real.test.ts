import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun, type ModelStep } from "@fairlead/conformance";
import type { Adapter, PermissionMode } from "@fairlead/contract";
import { expect, test } from "vitest";
import { openClaudeCodeBench } from "./claude-code.ts";

const adapter = adapters.find(({ manifest }) => manifest.id === "claude-code") as Adapter;

/** Runs one turn of the real program. It leaves approvals open, so that a test can see whether the agent asks. */
async function runTurn(
  options: { readonly settings?: object; readonly mode?: PermissionMode },
  ...steps: ModelStep[]
): Promise<{ run: ScenarioRun; context: string; noteWritten: boolean } & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "cc-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const bench = stack.use(await openClaudeCodeBench(join(folder, "s")));
  const run = stack.use(await ScenarioRun.open(adapter, bench, folder));
  await run.start(options);
  await run.runSteps(...steps);
  const isTurnSettled = (): boolean =>
    run.eventsOfType("turn.ended").length + run.eventsOfType("decision.requested").length > 0;
  await run.waitUntil(isTurnSettled, "the end of the turn or a decision");
  return {
    run,
    context: (await bench.readModelContext?.()) ?? "",
    noteWritten: existsSync(join(run.workspace, "note.txt")),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const writeStep: ModelStep = { actions: [{ write: { path: "note.txt", content: "x" } }] };

test("reports that a command is still running after half a minute", { timeout: 180_000 }, async () => {
  // The program refuses a command that starts with a long `sleep`.
  const command: ModelStep = { actions: [{ run: "timeout 33 tail -f /dev/null; touch note.txt" }] };
  await using turn = await runTurn({}, command, { text: "Done." });
  const { run } = turn;
  await run.session.answer(run.eventsOfType("decision.requested")[0]?.decision ?? "", { type: "allow" });
  const progressed = await run.waitForEvent("tool.progressed");
  expect(run.eventsOfType("tool.ended")).toEqual([]);
  expect(progressed.elapsedSeconds).toBeGreaterThanOrEqual(30);
  expect(progressed.call).toBe(run.eventsOfType("tool.requested")[0]?.call);
  await run.waitForEvent("turn.ended");
});

test("sends the model setting to the model API and reports it", async () => {
  await using turn = await runTurn({ settings: { model: "claude-sonnet-4-5" } }, { text: "Yes." });
  expect(JSON.parse(turn.context)).toMatchObject({ model: "claude-sonnet-4-5" });
  const models = turn.run.eventsOfType("session.changed").flatMap(({ model }) => model ?? []);
  expect(models).toEqual(["claude-sonnet-4-5"]);
});

test("passes options through, and a setting overrides the same option", async () => {
  const options = { model: "claude-opus-4-1", "append-system-prompt": "Mind the marmalade." };
  await using turn = await runTurn({ settings: { model: "claude-sonnet-4-5", options } }, { text: "Yes." });
  expect(JSON.parse(turn.context)).toMatchObject({ model: "claude-sonnet-4-5" });
  expect(turn.context).toContain("Mind the marmalade.");
});

test("ignores an option that would break the protocol", async () => {
  await using turn = await runTurn({ settings: { options: { "output-format": "text" } } }, { text: "Yes." });
  expect(turn.run.eventsOfType("text.ended")[0]?.text).toBe("Yes.");
});

test("omits an option that the program does not know, and warns about it", async () => {
  await using turn = await runTurn({ settings: { options: { "no-such-flag": true } } }, { text: "Yes." });
  expect(turn.run.eventsOfType("status.reported")[0]?.message).toContain("--no-such-flag");
  expect(turn.run.eventsOfType("turn.ended")[0]?.outcome).toBe("completed");
});

test("default asks before it writes a file", async () => {
  await using turn = await runTurn({}, writeStep, { text: "Done." });
  expect(turn.run.eventsOfType("decision.requested")).toHaveLength(1);
  expect(turn.noteWritten).toBe(false);
});

test("accept-edits writes without asking", async () => {
  await using turn = await runTurn({ mode: "accept-edits" }, writeStep, { text: "Done." });
  expect(turn.run.eventsOfType("decision.requested")).toEqual([]);
  expect(turn.noteWritten).toBe(true);
});

test("plan writes no file", async () => {
  await using turn = await runTurn({ mode: "plan" }, writeStep, { text: "That was the plan." });
  expect(turn.noteWritten).toBe(false);
});

test("dangerously-skip-permissions does not ask, or fails with a message if it runs as root", async () => {
  if (process.getuid?.() !== 0) {
    await using turn = await runTurn({ mode: "dangerously-skip-permissions" }, writeStep, { text: "Done." });
    expect(turn.run.eventsOfType("decision.requested")).toEqual([]);
    expect(turn.noteWritten).toBe(true);
    return;
  }
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "cc-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const bench = stack.use(await openClaudeCodeBench(join(folder, "s")));
  const run = stack.use(await ScenarioRun.open(adapter, bench, folder));
  await run.start({ mode: "dangerously-skip-permissions" });
  const ended = await run.waitForEvent("session.ended");
  expect(ended.reason).toBe("crashed");
  expect(
    run
      .eventsOfType("status.reported")
      .map(({ message }) => message)
      .join(" "),
  ).toMatch(/root/);
});
