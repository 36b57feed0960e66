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
const step = 250;
/** Of other events only their type is needed, and outputs may be long. The request itself is read whole. */
const clip = 2_000;

/** Finds the newest request of an id and its outcome in the journal, from the newest event backwards. */
export async function findPastDecision(
  fairlead: Pick<Fairlead, "events">,
  session: string,
  decision: string,
  last: number,
): Promise<PastDecision> {
  let resolution: PastDecision["resolution"] = null;
  for (let end = last; end > 0; end -= step) {
    let requestedAt: number | null = null;
    let resolvedHere: PastDecision["resolution"] = null;
    const after = Math.max(0, end - step);
    // The first pass also reads what was written since `last` was known.
    const limit = end === last ? {} : { limit: end - after };
    for await (const event of fairlead.events(session, { after, clip, ...limit })) {
      if (!("body" in event)) continue;
      const { body, sequence } = event;
      // An agent may use an id again. An outcome before this request is that of another one.
      if (body.type === "decision.requested" && body.decision === decision)
        [requestedAt, resolvedHere] = [sequence, null];
      if (body.type === "decision.resolved" && body.decision === decision) resolvedHere = body;
    }
    resolution ??= resolvedHere;
    if (requestedAt !== null) return { view: await readRequest(fairlead, session, requestedAt), resolution };
  }
  return { view: null, resolution };
}

async function readRequest(
  fairlead: Pick<Fairlead, "events">,
  session: string,
  sequence: number,
): Promise<DecisionView | null> {
  for await (const event of fairlead.events(session, { after: sequence - 1, limit: 1 })) {
    if (!("body" in event) || event.body.type !== "decision.requested") continue;
    const { type: _, ...request } = event.body;
    const { agent, occurredAt: since } = event;
    return { ...request, session, agent, since, digest: requestDigest(request), replaces: false };
  }
  return null;
}
