import assert from "node:assert/strict";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ToolAction, ToolActionKind } from "@fairlead/contract";
import type { ScenarioRun } from "../scenario-run.ts";
import type { Scenario } from "../scenario.ts";
import type { ToolUse } from "../test-bench.ts";
import { allowAll } from "./allow-all.ts";

/** Returns the action of the first call of a kind. Its approval, if the agent asked for one, must have the same. */
export function assertAction(run: ScenarioRun, kind: ToolActionKind): ToolAction {
  return findDescribedCall(run, kind).action;
}

function findDescribedCall(run: ScenarioRun, kind: ToolActionKind): { action: ToolAction; input: unknown } {
  const requests = run.eventsOfType("tool.requested");
  const request = requests.find(({ action }) => action?.kind === kind);
  const found = requests.map(({ name, action }) => `${name} ${JSON.stringify(action)}`).join(", ");
  assert.ok(request?.action, `no call is of the kind ${kind}: ${found}`);
  const approvals = run.eventsOfType("decision.requested").filter((decision) => decision.kind === "approval");
  for (const { call, action } of approvals) if (call === request.call) assert.deepEqual(action, request.action);
  return { action: request.action, input: request.input };
}

/** Whether the agent reports one of these texts as a value of its own. Otherwise the adapter cannot know it for certain. */
function isReported(input: unknown, texts: readonly string[]): boolean {
  return Object.values(input ?? {}).some((value) => texts.includes(value as string));
}

/** Quotes that an agent which shows a whole command line must not change. Every agent runs `echo`, some only after asking. */
const command = `echo "it's one" 'two $0'; echo three`;

export const commandDescribed: Scenario = {
  name: "command described",
  needs: ["tools"],
  clauses: ["action:run"],
  async execute(run, verify) {
    await run.start();
    await run.runSteps({ actions: [{ run: command }] }, { text: "Done." });
    await allowAll(run);
    await verify("action:run", () => {
      const { folder, ...action } = assertAction(run, "run");
      assert.deepEqual(action, { kind: "run", command });
      if (folder !== undefined) assert.equal(realpathSync(folder), realpathSync(run.workspace));
      assert.match(run.eventsOfType("tool.ended")[0]?.output ?? "", /^it's one two \$0\r?\nthree/m);
    });
  },
};

export const readDescribed: Scenario = {
  name: "file read by a tool",
  needs: ["read-tool"],
  clauses: ["action:read"],
  async execute(run, verify) {
    writeFileSync(join(run.workspace, "note.txt"), "a note\n");
    await useTool(run, { read: "note.txt" });
    await verify("action:read", () => {
      const { paths = [], ...action } = assertAction(run, "read");
      assert.deepEqual(action, { kind: "read" });
      assert.deepEqual(resolvePaths(run, paths), resolvePaths(run, ["note.txt"]));
    });
  },
};

export const searchDescribed: Scenario = {
  name: "text searched by a tool",
  needs: ["search-tool"],
  clauses: ["action:search"],
  async execute(run, verify) {
    mkdirSync(join(run.workspace, "notes"));
    writeFileSync(join(run.workspace, "notes/note.txt"), "a note\n");
    await useTool(run, { search: { text: "note", folder: "notes" } });
    await verify("action:search", () => {
      const { action, input } = findDescribedCall(run, "search");
      const { paths = [], ...rest } = action;
      const existing = paths.filter((path) => existsSync(resolve(run.workspace, path)));
      const isKnown = isReported(input, ["notes", join(run.workspace, "notes")]);
      assert.deepEqual(resolvePaths(run, existing), isKnown ? resolvePaths(run, ["notes"]) : []);
      assert.deepEqual(rest, isKnown ? { kind: "search" } : { kind: "search", incomplete: true });
    });
  },
};

export const fetchDescribed: Scenario = {
  name: "page fetched by a tool",
  needs: ["fetch-tool"],
  clauses: ["action:fetch"],
  async execute(run, verify) {
    // Nothing listens there. The tool fails, and its call has been described before.
    const url = "http://page.localhost:9/page";
    await useTool(run, { fetch: url });
    await verify("action:fetch", () => {
      const { action, input } = findDescribedCall(run, "fetch");
      const facts = isReported(input, [url]) ? { hosts: ["page.localhost"] } : { incomplete: true };
      assert.deepEqual(action, { kind: "fetch", ...facts });
    });
  },
};

async function useTool(run: ScenarioRun, use: ToolUse): Promise<void> {
  const prompt = run.bench.buildToolUsePrompt?.(use, run.workspace) ?? null;
  if (prompt === null) throw new Error("The agent declares this tool, and its test bench has no prompt for it.");
  await run.start();
  await run.session.send(prompt);
  await allowAll(run);
}

function resolvePaths(run: ScenarioRun, paths: readonly string[]): string[] {
  return paths.map((path) => realpathSync(resolve(run.workspace, path)));
}
