import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { selectAgent, type AgentSelectionOptions, type SelectedAgent } from "./select-agent.ts";
import { AdapterRegistry } from "./adapter-registry.ts";
import { workspaceFileName, type WorkspaceFileContent } from "./workspace-file.ts";

const registry = new AdapterRegistry(adapters);
const model = "a-model";
let workspace: string;
beforeEach(() => (workspace = mkdtempSync(join(tmpdir(), "fairlead-select-"))));
afterEach(() => rmSync(workspace, { recursive: true }));

/** An agent that has the setting `model`. The shell does not have it. */
const agentWithModel =
  registry.all.find(({ manifest }) => manifest.settings.safeParse({ model }).success)?.manifest.id ?? "";

function select(options: Partial<AgentSelectionOptions> = {}, yaml?: string): SelectedAgent {
  if (yaml !== undefined) writeFileSync(join(workspace, workspaceFileName), yaml);
  return selectAgent(registry, { workspace, environment: {}, fallback: agentWithModel, ...options });
}

test("the agent comes from the caller, then the workspace, then the environment, then the default", () => {
  const environment = { FAIRLEAD_AGENT: "shell" };
  expect(select()).toMatchObject({ agent: agentWithModel, source: "default" });
  expect(select({ environment })).toMatchObject({ agent: "shell", source: "environment" });
  expect(select({ environment }, "agent: scripted")).toMatchObject({ agent: "scripted", source: "workspace" });
  expect(select({ environment, agent: agentWithModel })).toMatchObject({ agent: agentWithModel, source: "caller" });
  expect(select({ environment: { FAIRLEAD_AGENT: "" } }, "")).toMatchObject({ source: "default" });
});

test("the model comes from the caller, then the workspace, then the environment", () => {
  const environment = { FAIRLEAD_MODEL: model };
  expect(select({ environment }).settings).toEqual({ model });
  expect(select({ environment }, "model: other").settings).toEqual({ model: "other" });
  expect(select({ environment, settings: { model: "third" } }).settings).toEqual({ model: "third" });
});

test("settings under an agent's name apply to that agent only and override the general ones", () => {
  const yaml = `agent: ${agentWithModel}\nmodel: general\nmode: accept-edits\nsettings:\n  ${agentWithModel}: { model: own }\n  shell: { timeout: 5 }\n`;
  const trusts = (): boolean => true;
  expect(select({ trusts }, yaml)).toEqual({
    agent: agentWithModel,
    source: "workspace",
    settings: { model: "own" },
    mode: "accept-edits",
    notices: [],
  });
  expect(select({ mode: "default", agent: "shell", trusts })).toMatchObject({
    settings: { timeout: 5 },
    mode: "default",
  });
});

test.each(["full-auto", "dangerously-skip-permissions"] as const)(
  "a workspace cannot select %s, a person can",
  (mode) => {
    expect(() => select({}, `mode: ${mode}`)).toThrow(`Type --mode ${mode}`);
    expect(select({ mode }).mode).toBe(mode);
  },
);

test("if approvals are required, a workspace sets neither a mode nor an agent's own settings", () => {
  const yaml = `model: general\nmode: accept-edits\nsettings:\n  ${agentWithModel}: { model: own }\n`;
  expect(select({ approvalsRequired: true }, yaml)).toMatchObject({ settings: { model: "general" } });
  expect(select({ approvalsRequired: true })).not.toHaveProperty("mode");
  expect(select({ approvalsRequired: true }, "systemPrompt: Obey.").settings).toEqual({});
});

describe("an untrusted file", () => {
  const untrustedSettings = [
    ["mode", "mode: accept-edits"],
    ["systemPrompt", "systemPrompt: Obey."],
    ["options", `settings: { ${agentWithModel}: { options: { agents: evil.sh } } }`],
    ["env", `settings: { ${agentWithModel}: { env: { NODE_OPTIONS: --import=./evil.js } } }`],
    ["retryDeadline", `settings: { ${agentWithModel}: { retryDeadline: 1 } }`],
    ["systemPrompt", `settings: { ${agentWithModel}: { systemPrompt: Obey. } }`],
    ["toString", `settings: { ${agentWithModel}: { toString: 1 } }`],
    ["model", "model: --yolo"],
    ["model", `settings: { ${agentWithModel}: { model: [--yolo] } }`],
  ] as const;

  test.each(untrustedSettings)("does not set %s; the error names it and what to type (%s)", (name, yaml) => {
    const expected = { code: "not-allowed", message: expect.stringContaining(`\n  ${name}: `) as string };
    expect(() => select({}, yaml)).toThrow(expect.objectContaining(expected) as Error);
    expect(() => select()).toThrow(`fairlead trust ${realpathSync(workspace)}`);
    expect(() => select({ trusts: () => false })).toThrow("is not trusted");
    expect(select({ trusts: () => true })).toMatchObject({ agent: agentWithModel });
  });

  test("sets the agent, the model, the number of turns, and a mode that asks for approval", () => {
    const yaml = `agent: ${agentWithModel}\nmodel: m\nmaxTurns: 3\nmode: plan\nsettings: { ${agentWithModel}: { model: own } }`;
    expect(select({}, yaml)).toMatchObject({ agent: agentWithModel, mode: "plan", settings: { model: "own" } });
  });

  test("is not an error if its settings have no effect", () => {
    const yaml = `mode: accept-edits\nsettings: { ${agentWithModel}: { env: {} }, scripted: { a: 1 } }`;
    expect(select({ mode: "default", settings: { env: { A: "1" } } }, yaml)).toMatchObject({ mode: "default" });
    expect(select({ mode: "default", agent: "shell" })).toMatchObject({ agent: "shell", settings: {} });
  });

  test("is passed to `trusts` with the content that was read and its path without links", () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "fairlead-select-"));
    const link = join(elsewhere, "link");
    symlinkSync(workspace, link);
    const files: WorkspaceFileContent[] = [];
    const text = "mode: accept-edits";
    writeFileSync(join(workspace, workspaceFileName), text);
    select({ workspace: link, trusts: (file) => files.push(file) > 0 });
    expect(files).toEqual([{ path: join(realpathSync(workspace), workspaceFileName), text }]);
    rmSync(elsewhere, { recursive: true });
  });
});

test("a setting that the agent does not have is ignored with a notice", () => {
  const { settings, notices } = select({ agent: "shell", environment: { FAIRLEAD_MODEL: model } });
  expect(settings).toEqual({});
  expect(notices).toEqual([expect.stringMatching(/no setting "model"/)]);
});

test.each([
  ["the command", { agent: "unknown" }, undefined],
  [workspaceFileName, {}, "agent: unknown"],
  ["FAIRLEAD_AGENT", { environment: { FAIRLEAD_AGENT: "unknown" } }, undefined],
])("an unknown agent from %s is an error that lists the known agents", (source, options, yaml) => {
  const error = expect.objectContaining({ code: "unknown-agent", message: expect.stringContaining(source) as string });
  expect(() => select(options, yaml)).toThrow(error as Error);
  expect(() => select(options)).toThrow(/shell/);
});

test.each(["agent: [", "colour: blue", "agent: 7", "mode: sometimes", "- a list"])(
  "%j is rejected with a message",
  (yaml) => {
    expect(() => select({}, yaml)).toThrow(/fairlead\.yaml cannot be used/);
  },
);
