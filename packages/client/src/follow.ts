import { errorOf, type Frame, routes } from "@fairlead/api";
import { type Delta, type Event, FairleadError } from "@fairlead/contract";
import { pathOf } from "./call.ts";
import type { Patience } from "./patience.ts";
import type { Wire } from "./wire.ts";

export interface Following {
  readonly after: number;
  readonly deltas: boolean;
  readonly signal: AbortSignal;
}

/**
 * A session's events as they come, over as many connections as it takes: each begins after the last number that was
 * seen. Numbers are dense, so a gap would be noticed; it would be our error, and is not passed over.
 */
export async function* follow(
  wire: Wire,
  patience: Patience,
  session: string,
  { after, deltas, signal }: Following,
): AsyncGenerator<Event | Delta> {
  let last = after;
  // A name may pass to another session while we are not connected; an id does not.
  let id = session;
  while (!signal.aborted) {
    const query = { after: String(last), ...(deltas && { deltas: "true" }) };
    try {
      for await (const text of wire.open(pathOf(routes.events, id, query), signal)) {
        patience.renew();
        const frame = JSON.parse(text) as Frame;
        if ("problem" in frame) throw errorOf(frame.problem, frame.problem.status);
        if ("delta" in frame) yield frame.delta;
        if (!("event" in frame)) continue;
        const { event } = frame;
        if (event.sequence !== last + 1) throw gap(event, last);
        last = event.sequence;
        id = event.session;
        yield event;
        if (event.body.type === "session.ended") return;
      }
      return;
    } catch (error) {
      await patience.after(error, signal);
    }
  }
}

function gap(event: Event, last: number): FairleadError {
  return new FairleadError("corrupt", `Event ${event.sequence} of ${event.session} came after ${last}.`);
}
