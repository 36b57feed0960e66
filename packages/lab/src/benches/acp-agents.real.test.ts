import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun, type ModelStep, type OpenTestBench } from "@fairlead/conformance";
import type { Adapter, PermissionMode } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { openGeminiCliBench } from "./gemini-cli.ts";
import { openOpencodeBench } from "./opencode.ts";

interface TurnResult extends AsyncDisposable {
  readonly run: ScenarioRun;
  readonly context: string;
  readonly noteWritten: boolean;
}

interface TurnOptions {
  readonly settings?: object;
  readonly mode?: PermissionMode;
}

function findAdapter(id: string): Adapter {
  return adapters.find(({ manifest }) => manifest.id === id) as Adapter;
}

/** Runs one turn of the real program. It leaves approvals open, so that a test can see whether the agent asks. */
async function runTurn(
  agent: Adapter,
  openBench: OpenTestBench,
  options: TurnOptions,
  ...steps: ModelStep[]
): Promise<TurnResult> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "acp-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const bench = stack.use(await openBench(join(folder, "s")));
  const run = stack.use(await ScenarioRun.open(agent, bench, folder));
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
const commandStep: ModelStep = { actions: [{ run: "touch note.txt" }] };

describe.each([
  ["gemini-cli", openGeminiCliBench],
  ["opencode", openOpencodeBench],
] as const)("%s", (id, openBench) => {
  const agent = findAdapter(id);

  test("accept-edits writes without asking, and asks before it runs a command", async () => {
    await using edited = await runTurn(agent, openBench, { mode: "accept-edits" }, writeStep, { text: "Done." });
    expect(edited.run.eventsOfType("decision.requested")).toEqual([]);
    expect(edited.noteWritten).toBe(true);
    expect(edited.run.eventsOfType("file.changed")[0]?.path).toContain("note.txt");
    await using ran = await runTurn(agent, openBench, { mode: "accept-edits" }, commandStep, { text: "Done." });
    expect(ran.run.eventsOfType("decision.requested")).toHaveLength(1);
    expect(ran.noteWritten).toBe(false);
  });

  test("plan writes no file", async () => {
    await using turn = await runTurn(agent, openBench, { mode: "plan" }, writeStep, { text: "That was the plan." });
    expect(turn.noteWritten).toBe(false);
  });

  test("dangerously-skip-permissions does not ask", async () => {
    const mode = "dangerously-skip-permissions";
    await using turn = await runTurn(agent, openBench, { mode }, commandStep, { text: "Done." });
    expect(turn.run.eventsOfType("decision.requested")).toEqual([]);
    expect(turn.noteWritten).toBe(true);
  });

  test("rejects a setting that it does not support before it starts", async () => {
    const turn = runTurn(agent, openBench, { settings: { maxTurns: 3 } }, { text: "Yes." });
    await expect(turn).rejects.toMatchObject({
      code: "not-supported",
      message: expect.stringContaining("maxTurns"),
    });
  });
});

test("gemini-cli: passes options through, and a setting overrides the same option", async () => {
  const settings = { model: "gemini-2.5-flash", options: { model: "gemini-2.5-pro", acp: false } };
  await using turn = await runTurn(findAdapter("gemini-cli"), openGeminiCliBench, { settings }, { text: "Yes." });
  expect(turn.run.eventsOfType("usage.reported")[0]?.model).toBe("gemini-2.5-flash");
});

test("opencode: passes options as keys of its configuration", async () => {
  const settings = { options: { agent: { build: { prompt: "Mind the marmalade." } } } };
  await using turn = await runTurn(findAdapter("opencode"), openOpencodeBench, { settings }, { text: "Yes." });
  expect(turn.context).toContain("Mind the marmalade.");
});

test("opencode: does not pass its registry settings to its commands", async () => {
  const mode = "dangerously-skip-permissions";
  const printSettings: ModelStep = { actions: [{ run: "env | grep npm_config_fetch || echo none" }] };
  await using turn = await runTurn(findAdapter("opencode"), openOpencodeBench, { mode }, printSettings, {
    text: "Done.",
  });
  expect(turn.run.eventsOfType("tool.ended")[0]?.output.trim()).toBe("none");
});

describe("gemini-cli of a version without ACP", () => {
  const current = findAdapter("gemini-cli");
  const older: Adapter = {
    ...current,
    async probe(host) {
      const probeResult = await current.probe(host);
      return { ...probeResult, flags: probeResult.flags.filter((flag) => flag !== "--acp") };
    },
  };

  test("launches one process per turn, warns about it, and continues the conversation", async () => {
    await using turn = await runTurn(older, openGeminiCliBench, { mode: "accept-edits" }, writeStep, {
      text: "Done.",
    });
    const { run } = turn;
    expect(run.eventsOfType("session.started")[0]?.protocol).toBe("stream-json");
    expect(run.eventsOfType("status.reported")[0]?.message).toContain("--acp");
    expect(turn.noteWritten).toBe(true);
    expect(run.eventsOfType("tool.ended")[0]).toMatchObject({ name: "write_file", ok: true });
    expect(run.eventsOfType("text.ended")[0]?.text).toBe("Done.");
    expect(run.eventsOfType("turn.ended")[0]?.outcome).toBe("completed");
    await run.runSteps({ text: "Again." });
    await run.waitForEvent("turn.ended", 2);
    expect(run.eventsOfType("text.ended").at(-1)?.text).toBe("Again.");
    expect((await run.bench.readModelContext?.()) ?? "").toContain("note.txt");
    const reported = run.eventsOfType("usage.reported").map(({ tokens }) => tokens.uncached + tokens.cacheRead);
    const served = (run.bench.readServedUsage?.() ?? []).map(({ tokens }) => tokens.uncached);
    expect(sum(reported)).toBe(sum(served));
  });

  test("reports the right error category, and ends the turn on an interrupt", async () => {
    await using turn = await runTurn(older, openGeminiCliBench, {}, { text: "Yes." });
    const { run } = turn;
    const unauthorized = run.bench.failures.find(({ name }) => name === "HTTP 401");
    await run.session.send(unauthorized?.prompt ?? "");
    await run.waitForEvent("turn.ended", 2);
    expect(run.eventsOfType("error.raised")[0]?.category).toBe("not-authenticated");
    await run.runSteps({ text: "one two three four five six", chunks: 6, chunkDelay: 1000 });
    await run.waitForEvent("turn.started", 3);
    await run.session.interrupt();
    expect((await run.waitForEvent("turn.ended", 3)).outcome).toBe("interrupted");
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
