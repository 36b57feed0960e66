import { expect, test } from "vitest";
import { AgentBrief } from "./agent-brief.ts";
import { briefChange, briefToPrompt, promptCap } from "./brief-to-prompt.ts";

const whole = {
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

test("every part of a brief is said, in the order of its weight", () => {
  expect(briefToPrompt(AgentBrief.parse(whole))).toBe(
    [
      "You are: Reviewer",
      "Workstream: api",
      "Review the routes.",
      "Project: Ferry: Boats.",
      "Goals:\n- Be quick",
      "Constraints:\n- Change nothing.\n- Be kind",
      "What is known:\n- version: 7\n- artifactIndex (2): routes.ts; x",
    ].join("\n\n"),
  );
});

test("the least of a brief is enough", () => {
  expect(briefToPrompt(AgentBrief.parse({ agentId: "a", description: "Go." }))).toBe("Go.");
  expect(briefToPrompt(AgentBrief.parse({ agentId: "a", description: "Go.", projectBrief: "Boats." }))).toContain(
    "Boats.",
  );
  expect(AgentBrief.safeParse({ agentId: "a" }).success).toBe(false);
});

test("what is too long is cut at the end, and that is shown", () => {
  const prompt = briefToPrompt(AgentBrief.parse({ ...whole, knowledgeSnapshot: "x".repeat(2 * promptCap) }));
  expect(prompt).toHaveLength(promptCap);
  expect(prompt.endsWith("[…]")).toBe(true);
  expect(prompt).toContain("Be kind");
});

test("a change is told field by field", () => {
  expect(briefChange({ role: "Critic", constraints: ["No tabs"] })).toContain('role: Critic\nconstraints: ["No tabs"]');
});
