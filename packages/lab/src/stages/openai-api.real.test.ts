import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { Rehearsal, type ModelStep } from "@fairlead/conformance";
import type { Adapter, PermissionMode } from "@fairlead/contract";
import { expect, test } from "vitest";
import { openOpenaiApi } from "./openai-api.ts";

const adapter = adapters.find(({ manifest }) => manifest.id === "openai-api") as Adapter;

interface Played extends AsyncDisposable {
  readonly rehearsal: Rehearsal;
  readonly context: string;
  readonly written: boolean;
}

/** One turn of the real program with these settings; approvals are left open, so that a test can see whether it asks. */
async function turn(
  options: { readonly settings?: object; readonly mode?: PermissionMode },
  ...steps: ModelStep[]
): Promise<Played> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "oa-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const stage = stack.use(await openOpenaiApi(join(folder, "s")));
  const rehearsal = stack.use(await Rehearsal.open(adapter, stage, folder));
  await rehearsal.start(options);
  await rehearsal.play(...steps);
  const over = (): boolean => rehearsal.all("turn.ended").length + rehearsal.all("decision.requested").length > 0;
  await rehearsal.until(over, "the end of the turn, or a decision");
  return {
    rehearsal,
    context: (await stage.context?.()) ?? "",
    written: existsSync(join(rehearsal.workspace, "note.txt")),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const write: ModelStep = { acts: [{ write: { path: "note.txt", content: "x" } }] };
const run: ModelStep = { acts: [{ run: "touch note.txt" }] };

test("settings and options reach the model, and the model that is set is the one that is told", async () => {
  const options = { temperature: 0.5, "reasoning-effort": "low" };
  await using played = await turn({ settings: { model: "-some/model", options } }, { text: "Yes." });
  expect(JSON.parse(played.context)).toMatchObject({
    model: "-some/model",
    temperature: 0.5,
    reasoning_effort: "low",
  });
  expect(played.rehearsal.all("session.changed").flatMap(({ model }) => model ?? [])).toEqual(["-some/model"]);
  expect(played.rehearsal.all("usage.reported")[0]?.model).toBe("-some/model");
});

test("an option that the program does not take is refused before it is started", () => {
  const read = (options: object): boolean => adapter.manifest.settings.safeParse({ options }).success;
  expect([read({ temperature: 1 }), read({ temperature: "warm" }), read({ colour: "blue" })]).toEqual([
    true,
    false,
    false,
  ]);
});

test.each<[PermissionMode, string, ModelStep, boolean, boolean]>([
  ["default", "writing", write, true, false],
  ["accept-edits", "writing", write, false, true],
  ["accept-edits", "a command", run, true, false],
  ["plan", "writing", write, false, false],
  ["plan", "a command", run, false, false],
  ["dangerously-skip-permissions", "a command", run, false, true],
])("in the mode %s, %s", async (mode, _, step, asked, done) => {
  await using played = await turn({ mode }, step, { text: "Done." });
  expect(played.rehearsal.all("decision.requested")).toHaveLength(asked ? 1 : 0);
  expect(played.written).toBe(done);
});
