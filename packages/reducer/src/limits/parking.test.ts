import type { AgentEvent } from "@fairlead/contract";
import { exampleOpening } from "@fairlead/testing/reducer/example-opening.ts";
import { expect, test } from "vitest";
import type { Emitter } from "../emitter.ts";
import { initialSessionState } from "../session-state.ts";
import { parking } from "./parking.ts";

const resetsAt = "2026-11-18T05:00:00.000Z";
const report: AgentEvent = { type: "quota.reported", window: "five_hour", status: "exhausted", resetsAt };

/** Returns when a session continues after these events. */
function findResumption(...bodies: readonly AgentEvent[]): string | null {
  const opening = { ...exampleOpening, park: true };
  const emitter = { state: { ...initialSessionState, opening } } as unknown as Emitter;
  for (const body of bodies) parking.follow(emitter, body);
  return parking.resumesAt(emitter);
}

const refuse = (message: string): AgentEvent => ({ type: "error.raised", category: "rate-limited", message });

test("a session waits for the reported reset, whether the error or the report comes first", () => {
  expect(findResumption(report, refuse("429"))).toBe(resetsAt);
  expect(findResumption(refuse("429"), report)).toBe(resetsAt);
});

test("a report without a time, or of a quota that is available, does not replace an error", () => {
  const { resetsAt: _, ...timeless } = report;
  expect(findResumption(refuse("429"), timeless)).toBeNull();
  expect(findResumption(refuse("429"), { ...report, status: "available" })).toBeNull();
});

test("a session waits for the later one of the times in an error and in a report", () => {
  expect(findResumption(refuse("usage limit reached|1794999600"), report)).toBe("2026-11-18T11:00:00.000Z");
});
