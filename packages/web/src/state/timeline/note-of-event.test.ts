import { ResumeOutcome, type AgentEvent } from "@fairlead/contract";
import { expect, test } from "vitest";
import { noteOfEvent } from "./note-of-event.ts";

test("says how a conversation continues in words, and who paused it not at all", () => {
  const texts = ResumeOutcome.options.map(
    (outcome) => noteOfEvent({ type: "session.resumed", outcome } as AgentEvent)?.text ?? "",
  );
  expect(new Set(texts).size).toBe(4);
  for (const [at, outcome] of ResumeOutcome.options.entries()) expect(texts[at]).not.toContain(outcome);
  // A person who pressed Pause gave no command in a terminal.
  const paused = noteOfEvent({ type: "session.paused", reason: "asked" });
  const unpaused = noteOfEvent({ type: "session.unpaused" });
  expect([paused?.text, unpaused?.text].join()).not.toMatch(/command/);
});
