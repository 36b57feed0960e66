import type { Fairlead } from "@fairlead/api";
import type { AgentEvent, Event } from "@fairlead/contract";
import { describe, expect, it } from "vitest";
import { findPastDecision } from "./find-past-decision.ts";

const requested = (decision: string): AgentEvent => ({
  type: "decision.requested",
  decision,
  kind: "approval",
  title: "x",
});
const resolved = (decision: string, outcome: "allowed" | "denied"): AgentEvent => ({
  type: "decision.resolved",
  decision,
  outcome,
  by: { kind: "person", label: "phone" },
});
const text = (): AgentEvent => ({ type: "text.ended", text: "x" });

/** A session with these events, and how many of them were read. */
function journal(bodies: readonly AgentEvent[]) {
  const reads = { count: 0, whole: 0 };
  const events = async function* (_: string, { after = 0, limit = Infinity, clip = Infinity } = {}) {
    for (const [at, body] of bodies.entries()) {
      if (at < after || at >= after + limit) continue;
      if (clip === Infinity) reads.whole += 1;
      reads.count += 1;
      yield { sequence: at + 1, agent: "scripted", occurredAt: "2026-11-15T12:00:00.000Z", body } as Event;
    }
  } as Fairlead["events"];
  return { reads, events };
}
const filler = (count: number): AgentEvent[] => Array.from({ length: count }, text);

describe("a past request", () => {
  it("is found with its outcome", async () => {
    const { view, resolution } = await findPastDecision(
      journal([requested("a"), resolved("a", "denied")]),
      "s",
      "a",
      2,
    );
    expect([view?.decision, view?.digest.length, resolution?.outcome]).toEqual(["a", 64, "denied"]);
  });

  it("near the end of a long session costs a few pages", async () => {
    const long = journal([...filler(20_000), requested("a"), ...filler(600), resolved("a", "allowed")]);
    expect((await findPastDecision(long, "s", "a", 20_602)).resolution?.outcome).toBe("allowed");
    expect(long.reads.count).toBeLessThan(1200);
    expect(long.reads.whole).toBe(1);
  });

  it("whose id was used before has its own outcome", async () => {
    const { resolution } = await findPastDecision(
      journal([requested("a"), resolved("a", "allowed"), ...filler(700), requested("a")]),
      "s",
      "a",
      703,
    );
    expect(resolution).toBeNull();
  });

  it("is read although the page knew an older end of the session", async () => {
    const { resolution } = await findPastDecision(journal([requested("a"), resolved("a", "denied")]), "s", "a", 1);
    expect(resolution?.outcome).toBe("denied");
  });

  it("that does not exist is not found", async () => {
    expect(await findPastDecision(journal(filler(1200)), "s", "a", 1200)).toEqual({ view: null, resolution: null });
  });
});
