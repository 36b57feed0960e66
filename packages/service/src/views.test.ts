import { SessionProjection, type SessionSummary } from "@fairlead/runtime";
import { expect, test } from "vitest";
import { type SessionFacts, toSessionView } from "./views.ts";

const at = new Date(0).toISOString();
const factsOf = (state: SessionSummary["state"]): SessionFacts => {
  const summary = { session: "s", state, since: at, problem: null, waitingFor: [] } as unknown as SessionSummary;
  return { summary, activity: new SessionProjection().activity };
};

/** The state of a session that this process fails to drive, by what is left of it. */
function stateOf(state: SessionSummary["state"], retryIn: number | null, hasNoKeeper: boolean): string {
  const failure = { session: "s", error: new Error("EMFILE"), retryIn, since: 0, attempts: 1 } as never;
  const context = { label: "", capabilities: [], driven: undefined, failure, isLost: true, now: 0 };
  return toSessionView(factsOf(state), { ...context, hasNoKeeper: () => hasNoKeeper }).state;
}

test("a session that is not driven for a while is lost if its agent is gone, and keeps its state otherwise", () => {
  for (const state of ["working", "waiting", "idle"] as const) {
    expect(stateOf(state, 1000, false)).toBe(state);
    expect(stateOf(state, 1000, true)).toBe("lost");
    expect(stateOf(state, null, true)).toBe("damaged");
  }
  expect(stateOf("paused", 1000, true)).toBe("paused");
  expect(stateOf("ended", 1000, true)).toBe("ended");
});
