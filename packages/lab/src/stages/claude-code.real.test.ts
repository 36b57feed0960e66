import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { Rehearsal, type ModelStep } from "@fairlead/conformance";
import type { Adapter, PermissionMode } from "@fairlead/contract";
import { expect, test } from "vitest";
import { openClaudeCode } from "./claude-code.ts";

const adapter = adapters.find(({ manifest }) => manifest.id === "claude-code") as Adapter;

/** One turn of the real program with these settings; approvals are left open, so that a test can see whether it asks. */
async function turn(
  options: { readonly settings?: object; readonly mode?: PermissionMode },
  ...steps: ModelStep[]
): Promise<{ rehearsal: Rehearsal; context: string; written: boolean } & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "cc-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const stage = stack.use(await openClaudeCode(join(folder, "s")));
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

test("the model that is set is the model that is asked", async () => {
  await using played = await turn({ settings: { model: "claude-sonnet-4-5" } }, { text: "Yes." });
  expect(JSON.parse(played.context)).toMatchObject({ model: "claude-sonnet-4-5" });
  const models = played.rehearsal.all("session.changed").flatMap(({ model }) => model ?? []);
  expect(models).toEqual(["claude-sonnet-4-5"]);
});

test("options are passed through, and a setting of ours goes before the same option", async () => {
  const options = { model: "claude-opus-4-1", "append-system-prompt": "Mind the marmalade." };
  await using played = await turn({ settings: { model: "claude-sonnet-4-5", options } }, { text: "Yes." });
  expect(JSON.parse(played.context)).toMatchObject({ model: "claude-sonnet-4-5" });
  expect(played.context).toContain("Mind the marmalade.");
});

test("an option that could break the protocol has no effect", async () => {
  await using played = await turn({ settings: { options: { "output-format": "text" } } }, { text: "Yes." });
  expect(played.rehearsal.all("text.ended")[0]?.text).toBe("Yes.");
});

test("an option that the program does not know is left out, and that is said", async () => {
  await using played = await turn({ settings: { options: { "no-such-flag": true } } }, { text: "Yes." });
  expect(played.rehearsal.all("status.reported")[0]?.message).toContain("--no-such-flag");
  expect(played.rehearsal.all("turn.ended")[0]?.outcome).toBe("completed");
});

test("default asks before a file is written", async () => {
  await using played = await turn({}, write, { text: "Done." });
  expect(played.rehearsal.all("decision.requested")).toHaveLength(1);
  expect(played.written).toBe(false);
});

test("accept-edits writes without asking", async () => {
  await using played = await turn({ mode: "accept-edits" }, write, { text: "Done." });
  expect(played.rehearsal.all("decision.requested")).toEqual([]);
  expect(played.written).toBe(true);
});

test("plan writes nothing by itself", async () => {
  await using played = await turn({ mode: "plan" }, write, { text: "That was the plan." });
  expect(played.written).toBe(false);
});

test("dangerously-skip-permissions asks nobody, or refuses to run as root and says so", async () => {
  if (process.getuid?.() !== 0) {
    await using played = await turn({ mode: "dangerously-skip-permissions" }, write, { text: "Done." });
    expect(played.rehearsal.all("decision.requested")).toEqual([]);
    expect(played.written).toBe(true);
    return;
  }
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "cc-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const stage = stack.use(await openClaudeCode(join(folder, "s")));
  const rehearsal = stack.use(await Rehearsal.open(adapter, stage, folder));
  await rehearsal.start({ mode: "dangerously-skip-permissions" });
  const ended = await rehearsal.the("session.ended");
  expect(ended.reason).toBe("crashed");
  expect(
    rehearsal
      .all("status.reported")
      .map(({ message }) => message)
      .join(" "),
  ).toMatch(/root/);
});
