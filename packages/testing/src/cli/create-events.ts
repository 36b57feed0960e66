import type { AgentEvent, Delta, Event } from "@fairlead/contract";

/** Creates events as the journal returns them, one second apart. */
export function createEvents(...bodies: readonly AgentEvent[]): Event[] {
  return bodies.map((body, at) => ({
    id: `s/${at + 1}.0`,
    session: "s",
    sequence: at + 1,
    epoch: 1,
    turn: null,
    occurredAt: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(),
    agent: "tester",
    model: null,
    spool: at + 1,
    synthetic: false,
    body,
  }));
}

export function createDelta(text: string, kind: "text" | "reasoning" = "text"): Delta {
  return { type: `${kind}.delta`, text };
}
