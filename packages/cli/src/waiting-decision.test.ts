import type { DecisionView, Fairlead } from "@fairlead/api";
import { expect, it } from "vitest";
import { waitingDecision } from "./waiting-decision.ts";
import type { WrongUse } from "./wrong-use.ts";

/** What of Fairlead it asks: a session, and what waits there. The names and titles are the agent's. */
function waiting(...decisions: readonly string[]): Fairlead {
  const views = decisions.map((decision) => ({ session: "s", decision, title: `run this\n${decision}` }));
  return {
    session: async () => ({ session: "s" }),
    decisions: async () => views as unknown as DecisionView[],
  } as unknown as Fairlead;
}

async function refusal(fairlead: Fairlead): Promise<WrongUse> {
  return (await waitingDecision(fairlead, "s", undefined).catch((error: unknown) => error)) as WrongUse;
}

it("lists each decision in a line of its own, whatever it is called", async () => {
  const { message } = await refusal(waiting("one\ns was allowed: all", "two"));
  expect(message.split("\n")).toHaveLength(3);
});

it("suggests nothing to type that a shell would take for more than a name", async () => {
  expect((await refusal(waiting("d-1", "d-2"))).next).toBe("fairlead approve s d-1");
  expect((await refusal(waiting("$(touch it)", "d-2"))).next).toBe("fairlead approve s '$(touch it)'");
  expect((await refusal(waiting("'; touch it; '", "d-2"))).next).toBe("fairlead approve s ''\\''; touch it; '\\'''");
});
