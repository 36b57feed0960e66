import { setImmediate as nextTurn } from "node:timers/promises";
import type { SearchPage, SearchQuery } from "@fairlead/api";
import { createEventMatcher, type Event, type SearchMatch } from "@fairlead/contract";

export interface SearchedSession {
  /** Reads at most `limit` events after a sequence. */
  readonly events: (after: number, limit: number) => AsyncIterable<Event>;
  /** The sequence of the newest event. */
  readonly last: number;
  /** Milliseconds of a clock. For tests. */
  readonly now?: () => number;
}

const defaultLimit = 100;
const firstChunk = 16;
const maxEvents = 20_000;
const maxMs = 200;
/** A chunk that took longer is not followed by a longer one. */
const quickMs = 20;
/** Others get their turn after this many milliseconds. */
const turnMs = 10;

/**
 * Searches the newest events first. The journal is read forward only, so it reads chunks. Returns before the beginning of the
 * session after 20,000 events or 200 ms, or with enough matches, but always searches at least one chunk.
 */
export async function searchSession(session: SearchedSession, query: SearchQuery): Promise<SearchPage> {
  const { text, before = Infinity, limit = defaultLimit } = query;
  const now = session.now ?? (() => performance.now());
  const search = { ...session, match: createEventMatcher(text), now };
  const startedAt = now();
  const newest = Math.min(session.last, before - 1);
  const matches: SearchMatch[] = [];
  let end = newest;
  for (let size = firstChunk; end > 0;) {
    const start = Math.max(0, end - size, newest - maxEvents);
    const chunkStartedAt = now();
    // The first chunk has no deadline: a call that searched nothing would be repeated without end.
    const deadline = end === newest ? Infinity : startedAt + maxMs;
    const found = await searchChunk(search, { start, end, deadline });
    if (found === null) break;
    const wanted = found.toReversed().slice(0, limit - matches.length);
    matches.push(...wanted);
    end = wanted.length < found.length ? (wanted.at(-1)?.sequence ?? end + 1) - 1 : start;
    if (matches.length === limit || newest - end >= maxEvents || now() - startedAt >= maxMs) break;
    if (now() - chunkStartedAt < quickMs) size *= 2;
  }
  return { matches, next: end <= 0 ? null : end + 1 };
}

interface Search extends SearchedSession {
  readonly match: (event: Event) => SearchMatch | null;
  readonly now: () => number;
}

interface Chunk {
  /** The sequence before its first event. */
  readonly start: number;
  /** The sequence of its last event. */
  readonly end: number;
  readonly deadline: number;
}

/** Returns the matches in their order; null after the deadline. */
async function searchChunk(
  { events, match, now }: Search,
  { start, end, deadline }: Chunk,
): Promise<SearchMatch[] | null> {
  const found: SearchMatch[] = [];
  let turnStartedAt = now();
  for await (const event of events(start, end - start)) {
    const one = match(event);
    if (one !== null) found.push(one);
    const time = now();
    if (time >= deadline) return null;
    if (time - turnStartedAt < turnMs) continue;
    // The journal of one machine is read without a pause.
    await nextTurn();
    turnStartedAt = now();
  }
  return found;
}
