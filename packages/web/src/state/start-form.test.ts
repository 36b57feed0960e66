import type { AgentView, Scope } from "@fairlead/api";
import { expect, test } from "vitest";
import { chooseStart, whyUnavailable } from "./start-form.ts";

interface Agent {
  readonly modes?: readonly string[];
  readonly capabilities?: readonly string[];
  readonly problems?: readonly string[];
  readonly installed?: boolean;
}

function agent(name: string, part: Agent = {}): AgentView {
  const { modes = ["default", "full-auto"], capabilities = ["approvals"], problems = [], installed = true } = part;
  return { agent: name, modes, capabilities, probeResult: { installed, problems } } as unknown as AgentView;
}

const all: readonly Scope[] = ["read", "drive", "approve"];
const driver: readonly Scope[] = ["read", "drive"];

function choose(form: Parameters<typeof chooseStart>[0], agents: readonly AgentView[], scopes = all): unknown {
  const { view, modes, mode } = chooseStart(form, agents, scopes);
  return [view?.agent ?? null, modes.join(" "), mode];
}

test("a mode that the chosen agent does not have is neither shown nor sent", () => {
  const agents = [agent("one"), agent("two", { modes: ["default", "plan"] }), agent("three", { modes: ["plan"] })];
  expect(choose({ agent: "one", mode: "full-auto" }, agents)).toEqual(["one", "default full-auto", "full-auto"]);
  expect(choose({ agent: "two", mode: "full-auto" }, agents)).toEqual(["two", "default plan", "default"]);
  expect(choose({ agent: "three", mode: "full-auto" }, agents)).toEqual(["three", "plan", "plan"]);
});

test("without the scope approve, there is no mode and no agent that approves in advance", () => {
  const every = ["default", "accept-edits", "plan", "full-auto", "dangerously-skip-permissions"];
  const agents = [agent("silent", { capabilities: [] }), agent("asking", { modes: every })];
  expect(choose({ agent: "", mode: "full-auto" }, agents, driver)).toEqual(["asking", "default plan", "default"]);
  expect(choose({ agent: "silent", mode: "default" }, agents, driver)).toEqual(["asking", "default plan", "default"]);
  expect(choose({ agent: "silent", mode: "default" }, agents)).toEqual(["silent", "default full-auto", "default"]);
  expect(agents.map((view) => whyUnavailable(view, driver))).toEqual([expect.stringContaining("approve"), null]);
});

test("an agent with a problem is chosen first only if all have one", () => {
  const broken = agent("broken", { problems: ["No key is set."] });
  const first = (form: string, agents: readonly AgentView[]): string | undefined =>
    chooseStart({ agent: form, mode: "default" }, agents, all).view?.agent;
  expect(first("", [broken, agent("ready")])).toBe("ready");
  expect(first("broken", [broken, agent("ready")])).toBe("broken");
  expect(first("", [agent("missing", { installed: false }), broken])).toBe("broken");
  expect(choose({ agent: "", mode: "default" }, [])).toEqual([null, "", "default"]);
});
