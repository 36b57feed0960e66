import { expect, test } from "vitest";
import { AgentBrief } from "./agent-brief.ts";
import { briefChangeToPrompt, briefToPrompt, maxPromptLength } from "./brief-to-prompt.ts";

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

test("the prompt contains every part of a brief, the most important first", () => {
  expect(briefToPrompt(AgentBrief.parse(fullBrief))).toBe(
    [
      "You are: Reviewer",
      "Workstream: api",
      "Review the routes.",
      "Project: Ferry: Boats.",
      "Goals:\n- Be quick",
      "Constraints:\n- Change nothing.\n- Be kind",
      "Known facts:\n- version: 7\n- artifactIndex (2): routes.ts; x",
    ].join("\n\n"),
  );
});

test("a brief with only the required fields is enough", () => {
  expect(briefToPrompt(AgentBrief.parse({ agentId: "a", description: "Go." }))).toBe("Go.");
  expect(briefToPrompt(AgentBrief.parse({ agentId: "a", description: "Go.", projectBrief: "Boats." }))).toContain(
    "Boats.",
  );
  expect(AgentBrief.safeParse({ agentId: "a" }).success).toBe(false);
});

test("a prompt that is too long is cut at the end, with a mark", () => {
  const prompt = briefToPrompt(AgentBrief.parse({ ...fullBrief, knowledgeSnapshot: "x".repeat(2 * maxPromptLength) }));
  expect(prompt).toHaveLength(maxPromptLength);
  expect(prompt.endsWith("[…]")).toBe(true);
  expect(prompt).toContain("Be kind");
});

test("a change is formatted field by field", () => {
  expect(briefChangeToPrompt({ role: "Critic", constraints: ["No tabs"] })).toContain(
    'role: Critic\nconstraints: ["No tabs"]',
  );
});
