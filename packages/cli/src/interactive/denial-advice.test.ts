import type { EventOf } from "@fairlead/contract";
import { expect, test } from "vitest";
import { DenialAdvice } from "./denial-advice.ts";

type Reading = NonNullable<EventOf<"decision.requested">["reading"]>;
type Resolver = EventOf<"decision.resolved">["by"]["kind"];

const reading = { verdict: "ask", reason: "", rule: null, commands: [] } satisfies Reading;
const push = {
  command: "git push origin main",
  categories: ["merge", "unvetted"],
  isExact: true,
} satisfies NonNullable<Reading["grants"]>[number];

function adviceFor(...denied: readonly (readonly [Reading | undefined, Resolver])[]): string[] {
  const advice = new DenialAdvice();
  for (const [at, [read, kind]] of denied.entries()) {
    const decision = `d${at}`;
    const request = { type: "decision.requested", decision, kind: "approval", title: "run" } as const;
    advice.observe({ ...request, ...(read !== undefined && { reading: read }) });
    advice.observe({ type: "decision.resolved", decision, outcome: "denied", by: { kind } });
  }
  return advice.lines("/h/policy.yaml");
}

test("names what to write so that a call is allowed next time, once", () => {
  const granted: readonly [Reading, Resolver] = [{ ...reading, grants: [push] }, "unattended"];
  expect(adviceFor(granted, granted)).toEqual([
    "To allow calls that were denied next time, add to /h/policy.yaml:",
    "grants:",
    '  - { command: "git push origin main", categories: [merge, unvetted] }',
  ]);
});

test("names how to be asked about what cannot be granted", () => {
  expect(adviceFor([reading, "unattended"])).toEqual([expect.stringContaining("--detach")]);
  expect(adviceFor([undefined, "unattended"])).toEqual([expect.stringContaining("write rules in /h/policy.yaml")]);
});

test("says nothing about a denial of a person or of a rule", () => {
  expect(adviceFor([{ ...reading, grants: [push] }, "person"], [reading, "policy"])).toEqual([]);
  expect(adviceFor()).toEqual([]);
});
