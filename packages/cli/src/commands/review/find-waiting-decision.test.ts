import type { DecisionView, Fairlead } from "@fairlead/api";
import { expect, it } from "vitest";
import { findWaitingDecision } from "./find-waiting-decision.ts";
import type { UsageError } from "../../usage-error.ts";

/** Creates a stub with one session and its open decisions. Ids and titles come from the agent. */
function createFairleadStub(...decisions: readonly string[]): Fairlead {
  const views = decisions.map((decision) => ({ session: "s", decision, title: `run this\n${decision}` }));
  return {
    session: async () => ({ session: "s" }),
    decisions: async () => views as unknown as DecisionView[],
  } as unknown as Fairlead;
}

async function findUsageError(fairlead: Fairlead): Promise<UsageError> {
  return (await findWaitingDecision(fairlead, "s", undefined).catch((error: unknown) => error)) as UsageError;
}

it("lists each decision on one line, whatever its id contains", async () => {
  const { message } = await findUsageError(createFairleadStub("one\ns was allowed: all", "two"));
  expect(message.split("\n")).toHaveLength(3);
});

it("quotes the id in its suggestion, so that a shell reads one word", async () => {
  expect((await findUsageError(createFairleadStub("d-1", "d-2"))).suggestion).toBe("fairlead approve s d-1");
  expect((await findUsageError(createFairleadStub("$(touch it)", "d-2"))).suggestion).toBe(
    "fairlead approve s '$(touch it)'",
  );
  expect((await findUsageError(createFairleadStub("'; touch it; '", "d-2"))).suggestion).toBe(
    "fairlead approve s ''\\''; touch it; '\\'''",
  );
});
