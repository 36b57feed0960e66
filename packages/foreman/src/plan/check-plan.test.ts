import { type AgentView, Plan } from "@fairlead/api";
import { expect, test } from "vitest";
import { checkPlan } from "./check-plan.ts";

function agent(name: string, vendor: string, other: Partial<AgentView> = {}, installed = true): AgentView {
  return {
    agent: name,
    label: name,
    vendor,
    adapterVersion: "1",
    capabilities: ["tools", "host-tools", "usage"],
    modes: ["default", "full-auto"],
    models: [],
    verified: true,
    probeResult: { installed, program: null, version: null, flags: [], auth: "none", problems: [] },
    ...other,
  };
}

const north = agent("north", "North");
const south = agent("south", "South");
const agents = [north, agent("north-two", "North"), south, agent("shell", "Tools"), agent("scripted", "Tools")];

type PlanInput = Partial<Record<keyof Plan, unknown>>;
const plan = (input: PlanInput = {}): Plan =>
  Plan.parse({ goal: "g", tasks: [{ id: "a", brief: "b" }], reviewer: {}, forge: { kind: "git" }, ...input });
const rolesOf = (input: PlanInput, list: readonly AgentView[] = agents) =>
  checkPlan(plan(input), list).roles.map((role) => role.agent);
const problemsOf = (input: PlanInput, list: readonly AgentView[] = agents) => checkPlan(plan(input), list).problems;

test("chooses the first builder that fits and a reviewer of another vendor", () => {
  expect(checkPlan(plan(), agents)).toEqual({
    problems: [],
    roles: [
      { role: "builder of a", agent: "north", vendor: "North" },
      { role: "reviewer", agent: "south", vendor: "South" },
    ],
  });
});

test("chooses a builder that leaves a vendor for the reviewer", () => {
  expect(rolesOf({ reviewer: { agent: "north" } })).toEqual(["south", "north"]);
  expect(rolesOf({ reviewer: { vendor: "North" } })).toEqual(["south", "north"]);
  // Only North's agent can review.
  const weakSouth = { ...south, capabilities: [] };
  expect(rolesOf({}, [north, weakSouth])).toEqual(["south", "north"]);
});

test("chooses only agents that are installed, verified and made for such work", () => {
  const missing = [agent("one", "One", {}, false), agent("two", "Two", { verified: false })];
  expect(rolesOf({}, [...missing, ...agents])).toEqual(["north", "south"]);
  expect(rolesOf({ builder: { needs: ["steer"] } })).toEqual([null, "north"]);
  expect(problemsOf({}, [agent("shell", "Tools"), agent("scripted", "Tools")])).toEqual([
    "No installed and verified agent fits the builder of a.",
    "No installed and verified agent fits the reviewer, which needs the capabilities host-tools.",
  ]);
});

test("uses an agent that the plan names, also one that would not be chosen", () => {
  expect(rolesOf({ builder: { agent: "scripted" } })).toEqual(["scripted", "north"]);
});

test.each<[string, PlanInput, string[]]>([
  [
    "two equal ids",
    {
      tasks: [
        { id: "a", brief: "b" },
        { id: "a", brief: "b" },
      ],
    },
    ["Two tasks have the id a."],
  ],
  [
    "an unknown task",
    { tasks: [{ id: "a", brief: "b", after: ["z"] }] },
    ["Task a comes after z, which is not a task of the plan."],
  ],
  ["a task after itself", { tasks: [{ id: "a", brief: "b", after: ["a"] }] }, ["The tasks a → a wait for each other."]],
  [
    "a cycle",
    {
      tasks: [
        { id: "start", brief: "b" },
        { id: "a", brief: "b", after: ["start", "c"] },
        { id: "b", brief: "b", after: ["a"] },
        { id: "c", brief: "b", after: ["b"] },
      ],
    },
    ["The tasks a → c → b → a wait for each other."],
  ],
  [
    "an unknown agent",
    { builder: { agent: "west" } },
    ["There is no agent west. Agents: north, north-two, south, shell, scripted."],
  ],
  [
    "one vendor",
    { builder: { agent: "north" }, reviewer: { agent: "north-two" } },
    ["There is no second vendor: North makes both the builder north and the reviewer north-two."],
  ],
  [
    "one vendor among several builders",
    {
      builder: { agent: "south" },
      tasks: [
        { id: "a", brief: "b" },
        { id: "b", brief: "b", builder: { agent: "north" } },
      ],
      reviewer: { agent: "north-two" },
    },
    ["There is no second vendor: North makes both the builder north and the reviewer north-two."],
  ],
  [
    "commands as a builder",
    { builder: { agent: "shell" } },
    ["The agent shell runs commands and can neither build nor review."],
  ],
  [
    "a missing capability",
    { builder: { agent: "north", needs: ["steer"] } },
    ["The agent north lacks the capability steer, which the builder of a needs."],
  ],
  [
    "a mode",
    { builder: { agent: "north", mode: "plan" } },
    ["The agent north does not support the mode plan. Its modes: default, full-auto."],
  ],
  [
    "another vendor than the agent's",
    { builder: { agent: "north", vendor: "South" } },
    ["The agent north is made by North, not by South."],
  ],
])("refuses %s", (_, input, problems) => {
  expect(problemsOf(input)).toEqual(problems);
});

test("refuses a reviewer that cannot give a verdict, a missing program and a limit that cannot be kept", () => {
  const mute = agent("mute", "Mute", { capabilities: [] }, false);
  expect(problemsOf({ reviewer: { agent: "mute" }, limit: { usd: 1, tokens: 5 } }, [north, mute])).toEqual([
    "The agent mute is not installed.",
    "The agent mute lacks the capability host-tools, which the reviewer needs.",
    "The limit of tokens cannot be kept: the agent mute does not report what it uses.",
    "The limit of usd cannot be kept: the agent mute does not report what it uses.",
  ]);
});

test("refuses a reviewer that cannot work without a person", () => {
  const asking = agent("asking", "Asking", { modes: ["default"] });
  expect(problemsOf({ reviewer: { agent: "asking" } }, [north, asking])).toEqual([
    "The agent asking does not support the mode full-auto. Its modes: default.",
  ]);
  expect(problemsOf({ reviewer: { agent: "asking", mode: "default" } }, [north, asking])).toEqual([]);
});

test("says that there is no second vendor if only one is installed", () => {
  expect(problemsOf({}, [north])).toEqual([
    "There is no second vendor: North builds, and no other vendor's agent on this machine can review.",
  ]);
});

test("checks fifty tasks that all come after each other at once", () => {
  const tasks = Array.from({ length: 50 }, (_, index) => ({
    id: `t${index}`,
    brief: "b",
    after: Array.from({ length: index }, (__, before) => `t${before}`),
  }));
  expect(problemsOf({ tasks })).toEqual([]);
});
