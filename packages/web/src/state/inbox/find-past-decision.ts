import type { DecisionView, Fairlead } from "@fairlead/api";
import { type EventOf, requestDigest } from "@fairlead/contract";

/** A request that the journal has, and what became of it. */
export interface PastDecision {
  /** The request as it was shown while it was open. Null if it was not found. */
  readonly view: DecisionView | null;
  /** Null while the request is open, or if it was not found. */
  readonly resolution: EventOf<"decision.resolved"> | null;
}

/** Events that are read at a time. The wanted ones are near the end of a session almost always. */
const step = 500;

/** Finds the newest request of an id and its outcome in the journal, from the newest event backwards. */
export async function findPastDecision(
  fairlead: Pick<Fairlead, "events">,
  session: string,
  decision: string,
  last: number,
): Promise<PastDecision> {
  let resolution: PastDecision["resolution"] = null;
  for (let end = last; end > 0; end -= step) {
    let view: PastDecision["view"] = null;
    let resolvedHere: PastDecision["resolution"] = null;
    for await (const event of fairlead.events(session, { after: Math.max(0, end - step) })) {
      if (!("body" in event)) continue;
      // The first pass also reads what was written since `last` was known.
      if (event.sequence > end && end !== last) break;
      const { body, agent, occurredAt } = event;
      if (body.type === "decision.requested" && body.decision === decision) {
        const { type: _, ...request } = body;
        // An agent may use an id again. An outcome before this request is that of another one.
        [view, resolvedHere] = [
          { ...request, session, agent, since: occurredAt, digest: requestDigest(request), replaces: false },
          null,
        ];
      }
      if (body.type === "decision.resolved" && body.decision === decision) resolvedHere = body;
    }
    resolution ??= resolvedHere;
    if (view !== null) return { view, resolution };
  }
  return { view: null, resolution };
}
