import { FairleadError, type Delta, type Event } from "@fairlead/contract";
import type { Runtime, Sessions } from "@fairlead/runtime";

export interface Followed {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
}

/**
 * A session's events after a number and then what comes, until it ends or the signal aborts. With deltas while this
 * process drives the session; while another does, or nobody, from the journal alone.
 */
export async function* follow(
  { runtime, sessions }: Followed,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Event | Delta> {
  let last = after;
  const noted = (one: Event | Delta): Event | Delta => {
    if ("sequence" in one) last = one.sequence;
    return one;
  };
  for await (const event of runtime.events(id, last)) {
    yield noted(event);
    if (isEnd(event) || signal.aborted) return;
  }
  await sessions.settled(id);
  while (!signal.aborted) {
    const session = sessions.driven(id);
    if (session === undefined) {
      for await (const event of runtime.events(id, last, signal)) {
        yield noted(event);
        if (isEnd(event)) return;
        // Somebody had us drive it, so from here on there is more to hear.
        if (sessions.driven(id) !== undefined) break;
      }
      continue;
    }
    try {
      for await (const one of session.stream(last, signal)) {
        yield noted(one);
        if (isEnd(one)) return;
      }
    } catch (error) {
      if (!FairleadError.is(error, "fenced")) throw error;
    }
    if (!signal.aborted) await session.finished;
  }
}

function isEnd(one: Event | Delta): boolean {
  return "body" in one && one.body.type === "session.ended";
}
