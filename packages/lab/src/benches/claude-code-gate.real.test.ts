import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun } from "@fairlead/conformance";
import type { Adapter } from "@fairlead/contract";
import { expect, test } from "vitest";
import { scriptPrompt, type ScriptStep } from "../script.ts";
import { openClaudeCodeBench } from "./claude-code.ts";

const adapter = adapters.find(({ manifest }) => manifest.id === "claude-code") as Adapter;
const askAlways = { mode: "full-auto" as const, policy: { rules: [{ verdict: "ask" as const }] } };

async function open(
  options: {
    readonly settings?: object;
    readonly isGated?: boolean;
    readonly start?: Parameters<ScenarioRun["start"]>[0];
  } = {},
): Promise<{ run: ScenarioRun } & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "cg-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const bench = stack.use(await openClaudeCodeBench(join(folder, "s")));
  const run = stack.use(await ScenarioRun.open(adapter, bench, folder));
  const { isGated = true, settings = {}, start } = options;
  await run.start({ ...(isGated && askAlways), ...start, settings });
  return { run, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const bash = (command: string): ScriptStep => ({ tools: [{ name: "Bash", input: { command, description: "Run" } }] });

/** Answers each question in turn. Returns the tools that were asked about. */
async function allowAll(run: ScenarioRun, count: number): Promise<(string | undefined)[]> {
  for (let nth = 1; nth <= count; nth += 1) {
    const { decision } = await run.waitForEvent("decision.requested", nth);
    await run.session.answer(decision, { type: "allow" });
  }
  return run.eventsOfType("decision.requested").map(({ tool }) => tool);
}

test("a sub-agent's calls are asked about, also after the turn", { timeout: 120_000 }, async () => {
  await using opened = await open();
  const { run } = opened;
  const prompt = scriptPrompt([bash("ls"), bash("touch by-sub-agent"), { text: "Over." }]);
  const task = { name: "Task", input: { description: "Do it", subagent_type: "general-purpose", prompt } };
  await run.session.send(scriptPrompt([{ tools: [task] }, { text: "Started." }, { text: "Done." }]));
  await run.session.answer((await run.waitForEvent("decision.requested")).decision, { type: "allow" });
  // The sub-agent runs in the background. Its question stays open until the turn of the main agent has ended.
  await run.waitForEvent("turn.ended");
  const isAnswered = (decision: string): boolean =>
    run.eventsOfType("decision.resolved").findLast((one) => one.decision === decision)?.outcome === "allowed";
  const openQuestion = () => run.eventsOfType("decision.requested").findLast(({ decision }) => !isAnswered(decision));
  for (const command of ["ls", "touch by-sub-agent"]) {
    const isAsked = (): boolean => JSON.stringify(openQuestion()?.input ?? "").includes(`"${command}"`);
    await run.waitUntil(isAsked, `the question about ${command}`);
    expect(existsSync(join(run.workspace, "by-sub-agent"))).toBe(false);
    await run.session.answer(openQuestion()?.decision ?? "", { type: "allow" });
  }
  await run.waitUntil(() => existsSync(join(run.workspace, "by-sub-agent")), "the effect of the sub-agent");
});

/** A hook in the user's settings that decides for the user. */
const hook = (event: string, decision: object): object => ({
  [event]: [
    {
      matcher: "",
      hooks: [
        {
          type: "command",
          command: `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...decision } })}'`,
        },
      ],
    },
  ],
});
const changesInput = hook("PreToolUse", {
  permissionDecision: "allow",
  updatedInput: { command: "touch other", description: "Run" },
});
const allows = hook("PermissionRequest", { decision: { behavior: "allow" } });

test("hooks in the settings neither answer nor change what was shown", { timeout: 120_000 }, async () => {
  const settings = { options: { settings: JSON.stringify({ hooks: { ...changesInput, ...allows } }) } };
  const files = (run: ScenarioRun): string[] =>
    ["shown", "other"].filter((name) => existsSync(join(run.workspace, name)));
  await using gated = await open({ settings });
  await gated.run.session.send(scriptPrompt([bash("touch shown"), { text: "Done." }]));
  const { input } = await gated.run.waitForEvent("decision.requested");
  expect(input).toMatchObject({ command: "touch shown" });
  expect(files(gated.run)).toEqual([]);
  await allowAll(gated.run, 1);
  await gated.run.waitForEvent("turn.ended");
  expect(files(gated.run)).toEqual(["shown"]);
  // Control: without the policy the hooks decide.
  await using ungated = await open({ settings, isGated: false });
  await ungated.run.session.send(scriptPrompt([bash("touch shown"), { text: "Done." }]));
  await ungated.run.waitForEvent("turn.ended");
  expect(files(ungated.run)).toEqual(["other"]);
});

test("rules of the settings that allow do not count, and those that deny do", { timeout: 120_000 }, async () => {
  const permissions = { allow: ["Bash(touch:*)"], deny: ["Bash(mkdir:*)"] };
  await using opened = await open({ settings: { options: { settings: JSON.stringify({ permissions }) } } });
  const { run } = opened;
  await run.session.send(scriptPrompt([bash("touch allowed"), bash("mkdir denied"), { text: "Done." }]));
  expect(await allowAll(run, 2)).toEqual(["Bash", "Bash"]);
  await run.waitForEvent("turn.ended");
  expect(existsSync(join(run.workspace, "allowed"))).toBe(true);
  expect(existsSync(join(run.workspace, "denied"))).toBe(false);
});

test(
  "a rule that a person wrote counts in the mode default, and reading is not asked about",
  { timeout: 120_000 },
  async () => {
    const read = (run: ScenarioRun, file: string): ScriptStep => ({
      tools: [{ name: "Read", input: { file_path: join(run.workspace, file) } }],
    });
    const outputs = async (run: ScenarioRun): Promise<string[]> => {
      writeFileSync(join(run.workspace, "README.md"), "the text\n");
      writeFileSync(join(run.workspace, "private.txt"), "the secret\n");
      await run.session.send(scriptPrompt([read(run, "private.txt"), bash("cat README.md"), { text: "Done." }]));
      await run.waitForEvent("turn.ended");
      return run.eventsOfType("tool.ended").map(({ ok, output }) => `${ok} ${output}`);
    };
    const policy = { rules: [{ verdict: "deny" as const, path: "private.txt" }] };
    await using gated = await open({ start: { mode: "default", policy } });
    const [denied, allowed] = await outputs(gated.run);
    expect(denied).not.toContain("the secret");
    expect(allowed).toContain("true the text");
    expect(gated.run.eventsOfType("decision.resolved").map(({ outcome, by }) => [outcome, by.kind])).toEqual([
      ["denied", "policy"],
      ["allowed", "mode"],
    ]);
    // Control: without the rule, the agent reads it unasked.
    await using ungated = await open({ start: { mode: "default" }, isGated: false });
    expect((await outputs(ungated.run))[0]).toContain("the secret");
  },
);
