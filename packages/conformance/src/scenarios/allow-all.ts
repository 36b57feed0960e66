import type { EventOf } from "@fairlead/contract";
import type { ScenarioRun } from "../scenario-run.ts";

/** Allows every approval until the nth turn ends. */
export async function allowAll(run: ScenarioRun, turn = 1): Promise<EventOf<"turn.ended">> {
  for (let nth = run.eventsOfType("decision.resolved").length + 1; ; nth += 1) {
    const isDecisionOpen = (): boolean => run.eventsOfType("decision.requested").length >= nth;
    await run.waitUntil(
      () => isDecisionOpen() || run.eventsOfType("turn.ended").length >= turn,
      "an approval or the end of the turn",
    );
    const request = run.eventsOfType("decision.requested")[nth - 1];
    if (request === undefined) return await run.waitForEvent("turn.ended", turn);
    await run.session.answer(request.decision, { type: "allow" });
  }
}
