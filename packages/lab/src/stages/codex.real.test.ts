import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { Rehearsal, type ModelStep, type Stage } from "@fairlead/conformance";
import type { Adapter, PermissionMode } from "@fairlead/contract";
import { expect, test } from "vitest";
import { script } from "../script.ts";
import type { Step } from "../step.ts";
import { openCodex } from "./codex.ts";

const codex = adapters.find(({ manifest }) => manifest.id === "codex") as Adapter;

/** The same program, taken for one that has no app server. */
const withoutServer: Adapter = {
  ...codex,
  async probe(host) {
    const finding = await codex.probe(host);
    return { ...finding, flags: finding.flags.filter((flag) => flag !== "app-server") };
  },
};

async function open(adapter: Adapter): Promise<{ rehearsal: Rehearsal; stage: Stage } & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "cx-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const stage = stack.use(await openCodex(join(folder, "s")));
  const rehearsal = stack.use(await Rehearsal.open(adapter, stage, folder));
  return { rehearsal, stage, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** One turn of the real program; approvals are left open, so that a test can see whether it asks. */
async function turn(
  options: { readonly settings?: object; readonly mode?: PermissionMode; readonly adapter?: Adapter },
  ...steps: ModelStep[]
): Promise<{ rehearsal: Rehearsal; context: string; written: boolean } & AsyncDisposable> {
  const { adapter = codex, ...start } = options;
  const opened = await open(adapter);
  const { rehearsal, stage } = opened;
  await rehearsal.start(start);
  await rehearsal.play(...steps);
  const over = (): boolean => rehearsal.all("turn.ended").length + rehearsal.all("decision.requested").length > 0;
  await rehearsal.until(over, "the end of the turn, or a decision");
  return {
    rehearsal,
    context: (await stage.context?.()) ?? "",
    written: existsSync(join(rehearsal.workspace, "note.txt")),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

const write: ModelStep = { acts: [{ write: { path: "note.txt", content: "x" } }] };
/** A command that does not ask to leave the sandbox. */
const tidy = (cmd: string): Step => ({ tools: [{ name: "exec_command", input: { cmd } }] });

test("the model that is set is the model that is asked, before the same option", async () => {
  const settings = { model: "gpt-5.5", options: { model: "gpt-5.6-sol", model_reasoning_effort: "low" } };
  await using played = await turn({ settings }, { text: "Yes." });
  expect(JSON.parse(played.context)).toMatchObject({ model: "gpt-5.5", reasoning: { effort: "low" } });
});

test("default asks before a file is written, and shows the change", async () => {
  await using played = await turn({}, write, { text: "Done." });
  const [asked] = played.rehearsal.all("decision.requested");
  expect(asked).toMatchObject({ tool: "apply_patch", input: { changes: [{ kind: "add", diff: "x\n" }] } });
  expect(played.written).toBe(false);
});

test("accept-edits writes without asking", async () => {
  await using played = await turn({ mode: "accept-edits" }, write, { text: "Done." });
  expect(played.rehearsal.all("decision.requested")).toEqual([]);
  expect(played.written).toBe(true);
});

test("plan writes nothing", async () => {
  await using played = await turn({ mode: "plan" }, write, { text: "That was the plan." });
  expect(played.rehearsal.all("decision.requested")).toEqual([]);
  expect(played.written).toBe(false);
});

test("dangerously-skip-permissions asks nobody, and nothing holds a command back", async () => {
  await using opened = await open(codex);
  const { rehearsal } = opened;
  await rehearsal.start({ mode: "dangerously-skip-permissions" });
  await rehearsal.session.send(script([tidy("echo x > note.txt"), { text: "Done." }]));
  await rehearsal.the("turn.ended");
  expect(rehearsal.all("decision.requested")).toEqual([]);
  expect(existsSync(join(rehearsal.workspace, "note.txt"))).toBe(true);
});

test("a command that its sandbox stops is told of, though it is silent about it itself", async () => {
  await using opened = await open(codex);
  const { rehearsal } = opened;
  await rehearsal.start();
  await rehearsal.session.send(script([tidy("touch note.txt"), { text: "It did not work." }]));
  await rehearsal.the("turn.ended");
  expect(rehearsal.all("tool.requested")).toMatchObject([{ name: "exec_command", input: { cmd: "touch note.txt" } }]);
  const [ended] = rehearsal.all("tool.ended");
  expect(ended).toMatchObject({ ok: false, reason: "failed", output: expect.stringMatching(/read-only/i) as string });
  expect(existsSync(join(rehearsal.workspace, "note.txt"))).toBe(false);
});

test("the words of a denial reach its model", async () => {
  await using opened = await open(codex);
  const { rehearsal, stage } = opened;
  const session = await rehearsal.start();
  await rehearsal.play(write, { text: "Then not." });
  const asked = await rehearsal.the("decision.requested");
  await session.answer(asked.decision, { type: "deny", message: "Not that file.", interrupt: false });
  await rehearsal.the("turn.ended");
  expect(await stage.context?.()).toContain("Not that file.");
});

test("without an app server it says so, works in the mode's sandbox, and remembers the conversation", async () => {
  await using opened = await open(withoutServer);
  const { rehearsal, stage } = opened;
  await rehearsal.start({ mode: "accept-edits" });
  const before = await rehearsal.play({ text: "I write.", ...write }, { text: "Done." });
  await rehearsal.the("turn.ended");
  await rehearsal.play({ text: "And on." });
  await rehearsal.the("turn.ended", 2);
  expect(rehearsal.all("session.started")[0]?.protocol).toBe("exec");
  expect(rehearsal.all("status.reported")[0]?.message).toContain("cannot ask");
  expect(rehearsal.all("turn.ended").map(({ outcome }) => outcome)).toEqual(["completed", "completed"]);
  expect(rehearsal.all("text.ended").map(({ text }) => text)).toEqual(["I write.", "Done.", "And on."]);
  expect(rehearsal.all("file.changed")).toMatchObject([{ change: "created" }]);
  expect(await stage.context?.()).toContain(before.slice(0, 20));
});

test("a program without an app server is found, and the problem is said", async () => {
  const run = async (_: string, [argument]: readonly string[]) => ({
    code: 0,
    stdout: argument === "--version" ? "codex-cli 0.20.0" : "Commands:\n  exec  Run without a person\n",
    stderr: "",
  });
  const found = { find: async () => "/bin/codex", run, has: () => true, exists: async () => true };
  const finding = await codex.probe(found);
  expect(finding).toMatchObject({ installed: true, version: "0.20.0" });
  expect(finding.problems).toEqual([expect.stringContaining("codex-exec")]);
});
