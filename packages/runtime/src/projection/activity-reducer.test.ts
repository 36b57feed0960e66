import type { AgentEvent } from "@fairlead/contract";
import { expect, test } from "vitest";
import { ActivityReducer } from "./activity-reducer.ts";

function activityAfter(body: AgentEvent): string | undefined {
  const reducer = new ActivityReducer();
  reducer.add({ body, occurredAt: "2026-11-19T10:00:00.000Z" }, "/w");
  return reducer.summary.activity?.text;
}

test("what the agent writes is one line without marks", () => {
  const text = "## Plan\n\n- **Read** `a.ts`\n- fix it";
  expect(activityAfter({ type: "text.ended", text })).toBe("Plan Read a.ts fix it");
  expect(activityAfter({ type: "reasoning.ended", text: "**Looking**\n\nat it" })).toBe("Looking at it");
});

test("a command is one line, and keeps its characters", () => {
  const action = { kind: "run", command: "cat > a.md <<'END'\n# A\n*b*\nEND" } as const;
  const body: AgentEvent = { type: "tool.requested", call: "1", name: "run", input: {}, action };
  expect(activityAfter(body)).toBe("cat > a.md <<'END' # A *b* END");
});
