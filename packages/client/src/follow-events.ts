import { type Frame, routes } from "@fairlead/api";
import { type Delta, FairleadError, isTextComplete, type ReadEvent } from "@fairlead/contract";
import { buildPath } from "./call-route.ts";
import type { Backoff } from "./backoff.ts";
import { ServiceUnavailable } from "./service-unavailable.ts";
import { toStreamError } from "./to-stream-error.ts";
import type { Transport } from "./transport.ts";

export interface FollowOptions {
  readonly after: number;
  readonly deltas: boolean;
  readonly clip?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * How long a connection without an event must have been open before an answer that the service is unavailable counts as
 * another outage, in milliseconds. A gateway that cannot read its log may accept a connection and fail after 15 seconds, and
 * such connections must not extend the time limit.
 */
const recoveryTime = 30_000;

/**
 * Yields a session's events as they arrive. After a lost connection, and after the service was unavailable, it reconnects
 * and continues after the last sequence. Sequences have no gaps, so a gap is a defect of the service, and this function throws.
 */
export async function* followEvents(
  transport: Transport,
  backoff: Backoff,
  session: string,
  { after, deltas, clip, signal }: FollowOptions,
): AsyncGenerator<ReadEvent | Delta> {
  let last = after;
  // Reconnect by id: while the client is disconnected, another session may take over the name.
  let id = session;
  const incomplete = new IncompleteTexts();
  while (!signal.aborted) {
    const query = {
      after: String(last),
      ...(deltas && { deltas: "true" }),
      ...(clip !== undefined && { clip: String(clip) }),
    };
    const openedAt = performance.now();
    let isServed = false;
    try {
      for await (const text of transport.open(buildPath(routes.events, id, query), signal)) {
        const frame = JSON.parse(text) as Frame;
        if ("problem" in frame) throw toStreamError(frame.problem);
        isServed = true;
        if ("delta" in frame && !incomplete.includes(frame.delta)) yield frame.delta;
        if (!("event" in frame)) continue;
        const { event } = frame;
        if (event.sequence !== last + 1) throw createGapError(event, last);
        last = event.sequence;
        id = event.session;
        incomplete.add(event);
        backoff.reset();
        yield event;
        if (event.body.type === "session.ended") return;
      }
      return;
    } catch (error) {
      const hasRecovered = !(error instanceof ServiceUnavailable) || performance.now() - openedAt > recoveryTime;
      if (isServed && hasRecovered) backoff.reset();
      await backoff.waitAfter(error, signal);
      incomplete.onInterrupted();
    }
  }
}

/**
 * The texts that may have been open when the connection was lost. Their deltas have a gap, or are repeated: the events at
 * their end repeat all of them. The gap may reach beyond a part of a text, so only its last part ends it.
 */
class IncompleteTexts {
  #areAll = false;
  readonly #completed = new Set<string>();

  includes({ type, parent }: Delta): boolean {
    return this.#areAll && type !== "screen" && !this.#completed.has(textKey(type === "text.delta", parent));
  }

  onInterrupted(): void {
    this.#areAll = true;
    this.#completed.clear();
  }

  /** Records which text an event ends. A turn has no open text before or after it. */
  add({ body }: ReadEvent): void {
    if (body.type === "turn.started" || body.type === "turn.ended") this.#areAll = false;
    if (body.type !== "text.ended" && body.type !== "reasoning.ended") return;
    if (this.#areAll && isTextComplete(body)) this.#completed.add(textKey(body.type === "text.ended", body.parent));
  }
}

function textKey(isText: boolean, parent = ""): string {
  return `${isText ? "text" : "reasoning"} ${parent}`;
}

function createGapError(event: ReadEvent, last: number): FairleadError {
  return new FairleadError(
    "corrupt",
    `The service sent event ${event.sequence} of session ${event.session} after event ${last}.`,
  );
}
