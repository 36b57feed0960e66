import { expect, test } from "vitest";
import { AgentBrief } from "./agent-brief.ts";
import { briefPrompt } from "@fairlead/kit";
import { maxBriefLength, toBrief } from "./to-brief.ts";

const fullBrief = {
  agentId: "a",
  role: "Reviewer",
  workstream: "api",
  description: "Review the routes.",
  constraints: ["Change nothing."],
  projectBrief: {
    title: "Ferry",
    description: "Boats.",
    goals: ["Be quick"],
    checkpoints: [],
    constraints: ["Be kind"],
  },
  knowledgeSnapshot: { version: 7, artifactIndex: [{ title: "routes.ts" }, { id: "x" }], pendingDecisions: [] },
};

test("contains every part of the protocol's brief, the most important first", () => {
  expect(toBrief(AgentBrief.parse(fullBrief))).toEqual({
    title: "Review the routes.",
    goal: [
      "You are: Reviewer",
      "Workstream: api",
      "Review the routes.",
      "Project: Ferry: Boats.",
      "Goals:\n- Be quick",
      "Known facts:\n- version: 7\n- artifactIndex (2): routes.ts; x",
    ].join("\n\n"),
    constraints: ["Change nothing.", "Be kind"],
    acceptance: [],
  });
});

test("a brief with only the required fields is enough", () => {
  expect(toBrief(AgentBrief.parse({ agentId: "a", description: "Go.\nFast." }))).toEqual({
    title: "Go.",
    goal: "Go.\nFast.",
    constraints: [],
    acceptance: [],
  });
  expect(toBrief(AgentBrief.parse({ agentId: "a", description: "\n" })).title).toBe("A task");
  const withProject = AgentBrief.parse({ agentId: "a", description: "Go.", projectBrief: "Boats." });
  expect(toBrief(withProject).goal).toContain("Boats.");
  expect(AgentBrief.safeParse({ agentId: "a" }).success).toBe(false);
});

test("what is too long is cut at its end, with a mark", () => {
  const knowledgeSnapshot = "x".repeat(2 * maxBriefLength);
  const brief = toBrief(AgentBrief.parse({ ...fullBrief, description: "y".repeat(200), knowledgeSnapshot }));
  expect(briefPrompt(brief).length).toBeLessThanOrEqual(maxBriefLength);
  expect(briefPrompt(brief).length).toBeGreaterThan(maxBriefLength - 100);
  expect(brief.goal.endsWith("[…]")).toBe(true);
  expect(brief.title).toHaveLength(80);
  expect(brief.constraints).toEqual(["Change nothing.", "Be kind"]);
  const constraints = Array.from({ length: 5000 }, (_, index) => `rule ${index}`);
  const limited = toBrief(AgentBrief.parse({ ...fullBrief, constraints }));
  expect(limited.constraints.at(-1)).toBe("[…]");
  expect(briefPrompt(limited).length).toBeLessThanOrEqual(maxBriefLength);
});

test("a field that the protocol does not define is told once an update has changed it", () => {
  const brief = AgentBrief.parse({ ...fullBrief, deadline: "Friday", other: 1 });
  expect(toBrief(brief).goal).not.toContain("Friday");
  const { goal } = toBrief(brief, ["deadline", "controlMode", "gone"]);
  expect(goal).toContain("\n\ndeadline: Friday\n\n");
  expect(goal).not.toMatch(/other|controlMode|gone/);
});
