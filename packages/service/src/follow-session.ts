import { FairleadError, type Delta, type Event } from "@fairlead/contract";
import { isTransientFailure, type Runtime, type Sessions } from "@fairlead/runtime";

export interface FollowSources {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
}

/**
 * Yields a session's events after a sequence, then new ones until the session ends or the signal aborts. Includes deltas
 * while this process drives the session. Otherwise it reads only the journal.
 */
export async function* followSession(
  { runtime, sessions }: FollowSources,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Event | Delta> {
  let lastSequence = after;
  const trackSequence = (one: Event | Delta): Event | Delta => {
    if ("sequence" in one) lastSequence = one.sequence;
    return one;
  };
  for await (const event of runtime.events(id, lastSequence)) {
    yield trackSequence(event);
    if (isEnd(event) || signal.aborted) return;
  }
  await sessions.waitUntilSettled(id);
  while (!signal.aborted) {
    const session = sessions.getIfDriven(id);
    if (session === undefined) {
      for await (const event of runtime.events(id, lastSequence, signal)) {
        yield trackSequence(event);
        if (isEnd(event)) return;
        // This process now drives the session, so its stream has deltas too.
        if (sessions.getIfDriven(id) !== undefined) break;
      }
      continue;
    }
    try {
      for await (const one of session.stream(lastSequence, signal)) {
        yield trackSequence(one);
        if (isEnd(one)) return;
      }
    } catch (error) {
      // Another process drives the session, or this one does so again soon. The journal has all events meanwhile.
      if (!FairleadError.is(error, "fenced") && !(session.isFinished && isTransientFailure(error))) throw error;
    }
    if (!signal.aborted) await session.finished;
  }
}

function isEnd(one: Event | Delta): boolean {
  return "body" in one && one.body.type === "session.ended";
}
