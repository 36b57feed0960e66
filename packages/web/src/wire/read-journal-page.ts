import type { Fairlead } from "@fairlead/api";
import type { Delta, ReadEvent } from "@fairlead/contract";
import type { PageRequest } from "../state/timeline/missing-pages.ts";

/** Longer texts are cut on a page of history. The row offers the whole one. */
const maxTextLength = 8_000;

/** Reads a page of a session's events, with long texts cut. */
export async function readJournalPage(
  fairlead: Fairlead,
  session: string,
  { after, limit }: PageRequest,
  signal: AbortSignal,
): Promise<ReadEvent[]> {
  return await readEvents(fairlead.events(session, { after, limit, clip: maxTextLength, signal }));
}

/** Reads one event without a limit of its size. */
export async function readWholeEvent(
  fairlead: Fairlead,
  session: string,
  sequence: number,
  signal: AbortSignal,
): Promise<ReadEvent> {
  const [event] = await readEvents(fairlead.events(session, { after: sequence - 1, limit: 1, signal }));
  if (event === undefined) throw new Error(`The session has no event ${sequence}.`);
  return event;
}

/** Reads the whole text of a row, which a long text has in several events. Returns null if its first event has no text. */
export async function readWholeText(
  fairlead: Fairlead,
  session: string,
  { first, last }: { readonly first: number; readonly last: number },
  signal: AbortSignal,
): Promise<string | null> {
  const { body } = await readWholeEvent(fairlead, session, first, signal);
  if (body.type !== "text.ended" && body.type !== "reasoning.ended") {
    if ("text" in body) return body.text;
    return "input" in body && typeof body.input === "string" ? body.input : null;
  }
  const rest = last === first ? [] : fairlead.events(session, { after: first, limit: last - first, signal });
  let text = body.text;
  for await (const next of rest) {
    if (!("sequence" in next) || next.body.type !== body.type) continue;
    if (next.body.parent === body.parent) text += next.body.text;
  }
  return text;
}

async function readEvents(arrivals: AsyncIterable<ReadEvent | Delta>): Promise<ReadEvent[]> {
  const events: ReadEvent[] = [];
  for await (const arrival of arrivals) if ("sequence" in arrival) events.push(arrival);
  return events;
}
