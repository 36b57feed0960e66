import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun, type ModelStep } from "@fairlead/conformance";
import type { Adapter, PermissionMode } from "@fairlead/contract";
import { expect, test } from "vitest";
import { openOpenaiApiBench } from "./openai-api.ts";

const adapter = adapters.find(({ manifest }) => manifest.id === "openai-api") as Adapter;

interface TurnResult extends AsyncDisposable {
  readonly run: ScenarioRun;
  readonly context: string;
  readonly noteWritten: boolean;
}

/** Runs one turn of the real program. It leaves approvals open, so that a test can see whether the agent asks. */
async function runTurn(
  options: { readonly settings?: object; readonly mode?: PermissionMode },
  ...steps: ModelStep[]
): Promise<TurnResult> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "oa-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const bench = stack.use(await openOpenaiApiBench(join(folder, "s")));
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
const commandStep: ModelStep = { actions: [{ run: "touch note.txt" }] };

test("sends settings and options to the model API, and reports the model that is set", async () => {
  const options = { temperature: 0.5, "reasoning-effort": "low" };
  await using turn = await runTurn({ settings: { model: "-some/model", options } }, { text: "Yes." });
  expect(JSON.parse(turn.context)).toMatchObject({
    model: "-some/model",
    temperature: 0.5,
    reasoning_effort: "low",
  });
  expect(turn.run.eventsOfType("session.changed").flatMap(({ model }) => model ?? [])).toEqual(["-some/model"]);
  expect(turn.run.eventsOfType("usage.reported")[0]?.model).toBe("-some/model");
});

test("rejects an option that the program does not support before it starts", () => {
  const isAccepted = (options: object): boolean => adapter.manifest.settings.safeParse({ options }).success;
  expect([isAccepted({ temperature: 1 }), isAccepted({ temperature: "warm" }), isAccepted({ color: "blue" })]).toEqual([
    true,
    false,
    false,
  ]);
});

test.each<[PermissionMode, string, ModelStep, boolean, boolean]>([
  ["default", "writing", writeStep, true, false],
  ["accept-edits", "writing", writeStep, false, true],
  ["accept-edits", "a command", commandStep, true, false],
  ["plan", "writing", writeStep, false, false],
  ["plan", "a command", commandStep, false, false],
  ["dangerously-skip-permissions", "a command", commandStep, false, true],
])("asks or acts as the mode %s requires for %s", async (mode, _, step, asksForApproval, writesNote) => {
  await using turn = await runTurn({ mode }, step, { text: "Done." });
  expect(turn.run.eventsOfType("decision.requested")).toHaveLength(asksForApproval ? 1 : 0);
  expect(turn.noteWritten).toBe(writesNote);
});
