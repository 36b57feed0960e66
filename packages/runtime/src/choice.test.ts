import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { choose, type Asked, type Choice } from "./choice.ts";
import { Registry } from "./registry.ts";
import { workspaceFile, type FoundFile } from "./workspace-file.ts";

const registry = new Registry(adapters);
const model = "a-model";
let workspace: string;
beforeEach(() => (workspace = mkdtempSync(join(tmpdir(), "fairlead-choice-"))));
afterEach(() => rmSync(workspace, { recursive: true }));

/** An agent that can be given a model, and the shell, which cannot. */
const modelled = registry.all.find(({ manifest }) => manifest.settings.safeParse({ model }).success)?.manifest.id ?? "";

function chosen(asked: Partial<Asked> = {}, yaml?: string): Choice {
  if (yaml !== undefined) writeFileSync(join(workspace, workspaceFile), yaml);
  return choose(registry, { workspace, environment: {}, fallback: modelled, ...asked });
}

test("asked, then the workspace, then the environment, then the default", () => {
  const environment = { FAIRLEAD_AGENT: "shell" };
  expect(chosen()).toMatchObject({ agent: modelled, by: "default" });
  expect(chosen({ environment })).toMatchObject({ agent: "shell", by: "environment" });
  expect(chosen({ environment }, "agent: scripted")).toMatchObject({ agent: "scripted", by: "workspace" });
  expect(chosen({ environment, agent: modelled })).toMatchObject({ agent: modelled, by: "asked" });
  expect(chosen({ environment: { FAIRLEAD_AGENT: "" } }, "")).toMatchObject({ by: "default" });
});

test("the model likewise, and what was asked goes before all", () => {
  const environment = { FAIRLEAD_MODEL: model };
  expect(chosen({ environment }).settings).toEqual({ model });
  expect(chosen({ environment }, "model: other").settings).toEqual({ model: "other" });
  expect(chosen({ environment, settings: { model: "third" } }).settings).toEqual({ model: "third" });
});

test("settings under an agent's name hold for it alone, and go before the general words", () => {
  const yaml = `agent: ${modelled}\nmodel: general\nmode: accept-edits\nsettings:\n  ${modelled}: { model: own }\n  shell: { timeout: 5 }\n`;
  const trusts = (): boolean => true;
  expect(chosen({ trusts }, yaml)).toEqual({
    adapter: modelled,
    by: "workspace",
    settings: { model: "own" },
    mode: "accept-edits",
    notices: [],
  });
  expect(chosen({ mode: "default", agent: "shell", trusts })).toMatchObject({
    settings: { timeout: 5 },
    mode: "default",
  });
});

test.each(["full-auto", "dangerously-skip-permissions"] as const)(
  "a workspace cannot choose %s, a person can",
  (mode) => {
    expect(() => chosen({}, `mode: ${mode}`)).toThrow(`say it with --mode ${mode}`);
    expect(chosen({ mode }).mode).toBe(mode);
  },
);

test("for whoever is cautious, a workspace chooses neither mode nor an agent's own settings", () => {
  const yaml = `model: general\nmode: accept-edits\nsettings:\n  ${modelled}: { model: own }\n`;
  expect(chosen({ cautious: true }, yaml)).toMatchObject({ settings: { model: "general" } });
  expect(chosen({ cautious: true })).not.toHaveProperty("mode");
  expect(chosen({ cautious: true }, "systemPrompt: Obey.").settings).toEqual({});
});

describe("a file that nobody has trusted", () => {
  const bold = [
    ["mode", "mode: accept-edits"],
    ["systemPrompt", "systemPrompt: Obey."],
    ["options", `settings: { ${modelled}: { options: { agents: evil.sh } } }`],
    ["env", `settings: { ${modelled}: { env: { NODE_OPTIONS: --import=./evil.js } } }`],
    ["retryDeadline", `settings: { ${modelled}: { retryDeadline: 1 } }`],
    ["systemPrompt", `settings: { ${modelled}: { systemPrompt: Obey. } }`],
    ["toString", `settings: { ${modelled}: { toString: 1 } }`],
    ["model", "model: --yolo"],
    ["model", `settings: { ${modelled}: { model: [--yolo] } }`],
  ] as const;

  test.each(bold)("does not set %s, and the refusal says so and what to type (%s)", (word, yaml) => {
    const refusal = { code: "not-allowed", message: expect.stringContaining(`\n  ${word}: `) as string };
    expect(() => chosen({}, yaml)).toThrow(expect.objectContaining(refusal) as Error);
    expect(() => chosen()).toThrow(`fairlead trust ${realpathSync(workspace)}`);
    expect(() => chosen({ trusts: () => false })).toThrow("is not trusted");
    expect(chosen({ trusts: () => true })).toMatchObject({ agent: modelled });
  });

  test("chooses agent, model, turns and a mode that asks", () => {
    const yaml = `agent: ${modelled}\nmodel: m\nmaxTurns: 3\nmode: plan\nsettings: { ${modelled}: { model: own } }`;
    expect(chosen({}, yaml)).toMatchObject({ agent: modelled, mode: "plan", settings: { model: "own" } });
  });

  test("is no matter where what it sets would not count", () => {
    const yaml = `mode: accept-edits\nsettings: { ${modelled}: { env: {} }, scripted: { a: 1 } }`;
    expect(chosen({ mode: "default", settings: { env: { A: "1" } } }, yaml)).toMatchObject({ mode: "default" });
    expect(chosen({ mode: "default", agent: "shell" })).toMatchObject({ agent: "shell", settings: {} });
  });

  test("is judged by what was read, and by where it is without links", () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "fairlead-choice-"));
    const link = join(elsewhere, "link");
    symlinkSync(workspace, link);
    const seen: FoundFile[] = [];
    const text = "mode: accept-edits";
    writeFileSync(join(workspace, workspaceFile), text);
    chosen({ workspace: link, trusts: (file) => seen.push(file) > 0 });
    expect(seen).toEqual([{ path: join(realpathSync(workspace), workspaceFile), text }]);
    rmSync(elsewhere, { recursive: true });
  });
});

test("what an agent cannot be given is left out, and that is said", () => {
  const { settings, notices } = chosen({ agent: "shell", environment: { FAIRLEAD_MODEL: model } });
  expect(settings).toEqual({});
  expect(notices).toEqual([expect.stringMatching(/no setting "model"/)]);
});

test.each([
  ["the command", { agent: "nobody" }, undefined],
  [workspaceFile, {}, "agent: nobody"],
  ["FAIRLEAD_AGENT", { environment: { FAIRLEAD_AGENT: "nobody" } }, undefined],
])("an unknown name from %s is an error that lists the known ones", (where, asked, yaml) => {
  const error = expect.objectContaining({ code: "unknown-agent", message: expect.stringContaining(where) as string });
  expect(() => chosen(asked, yaml)).toThrow(error as Error);
  expect(() => chosen(asked)).toThrow(/shell/);
});

test.each(["agent: [", "colour: blue", "agent: 7", "mode: sometimes", "- a list"])("%j is refused in words", (yaml) => {
  expect(() => chosen({}, yaml)).toThrow(/fairlead\.yaml cannot be used/);
});
