import { errorFromProblem, type Frame, routes } from "@fairlead/api";
import { type Delta, type Event, FairleadError } from "@fairlead/contract";
import { buildPath } from "./call-route.ts";
import type { Backoff } from "./backoff.ts";
import type { Transport } from "./transport.ts";

export interface FollowOptions {
  readonly after: number;
  readonly deltas: boolean;
  readonly signal: AbortSignal;
}

/**
 * Yields a session's events as they arrive. After a lost connection it reconnects and continues after the last sequence.
 * Sequences have no gaps, so a gap is a defect of the service, and this function throws.
 */
export async function* followEvents(
  transport: Transport,
  backoff: Backoff,
  session: string,
  { after, deltas, signal }: FollowOptions,
): AsyncGenerator<Event | Delta> {
  let last = after;
  // Reconnect by id: while the client is disconnected, another session may take over the name.
  let id = session;
  // The deltas of a text that was interrupted have a gap, or are repeated: its end repeats all of it.
  let isTextIncomplete = false;
  while (!signal.aborted) {
    const query = { after: String(last), ...(deltas && { deltas: "true" }) };
    try {
      for await (const text of transport.open(buildPath(routes.events, id, query), signal)) {
        backoff.reset();
        const frame = JSON.parse(text) as Frame;
        if ("problem" in frame) throw errorFromProblem(frame.problem, frame.problem.status);
        if ("delta" in frame && (!isTextIncomplete || frame.delta.type === "screen")) yield frame.delta;
        if (!("event" in frame)) continue;
        const { event } = frame;
        if (event.sequence !== last + 1) throw createGapError(event, last);
        last = event.sequence;
        id = event.session;
        if (endsText.has(event.body.type)) isTextIncomplete = false;
        yield event;
        if (event.body.type === "session.ended") return;
      }
      return;
    } catch (error) {
      await backoff.waitAfter(error, signal);
      isTextIncomplete = true;
    }
  }
}

/** Events after which no text is open. */
const endsText: ReadonlySet<Event["body"]["type"]> = new Set<Event["body"]["type"]>([
  "text.ended",
  "reasoning.ended",
  "turn.started",
  "turn.ended",
]);

function createGapError(event: Event, last: number): FairleadError {
  return new FairleadError(
    "corrupt",
    `The service sent event ${event.sequence} of session ${event.session} after event ${last}.`,
  );
}
