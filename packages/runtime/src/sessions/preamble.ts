import type { Continuation, Event } from "@fairlead/contract";

/** Limit of the preamble in characters. The beginning of a longer conversation is left out. */
const maxLength = 12_000;

type ReadEvents = (session: string) => AsyncIterable<Event>;

/**
 * Builds a text with an earlier conversation up to the event with the sequence `last`, for an agent that does not have it.
 * Returns no text if it was empty.
 */
export async function buildPreamble(read: ReadEvents, session: string, last = Infinity): Promise<string[]> {
  const text = await excerptConversation(readConversation(read, session, ({ sequence }) => sequence <= last));
  if (text === "") return [];
  return [`This conversation continues an earlier one that you do not remember. The earlier conversation:\n\n${text}`];
}

/** Builds a text with the end of a conversation, for an agent whose memory is from before it. */
export async function buildMissedPart(events: AsyncIterable<Event>): Promise<string[]> {
  const text = await excerptConversation(events);
  if (text === "") return [];
  return [`You do not remember the last part of this conversation. It was:\n\n${text}`];
}

async function excerptConversation(events: AsyncIterable<Event>): Promise<string> {
  const excerpt = new Excerpt();
  for await (const { body } of events) {
    if (body.type === "turn.started" && body.input !== "") excerpt.addLine(`Person: ${body.input}`);
    if (body.type === "text.ended" && body.parent === undefined) {
      if ((body.part ?? 1) === 1) excerpt.addLine(`Agent: ${body.text}`);
      else excerpt.add(body.text);
    }
    if (body.type === "file.changed" && body.attribution !== "unknown")
      excerpt.addLine(`(The agent ${body.change} ${body.path}.)`);
  }
  return excerpt.text;
}

/** Collects a text and keeps its end, so that a long conversation does not fill the memory. */
class Excerpt {
  #end = "";
  #isCut = false;

  get text(): string {
    const isCut = this.#isCut || this.#end.length > maxLength;
    return isCut ? `(…)\n${this.#end.slice(-maxLength)}` : this.#end;
  }

  addLine(line: string): void {
    this.add(this.#end === "" ? line : `\n${line}`);
  }

  add(text: string): void {
    this.#end += text;
    if (this.#end.length <= 4 * maxLength) return;
    this.#end = this.#end.slice(-maxLength);
    this.#isCut = true;
  }
}

/** Reads the events of the agent's conversation. It includes the session before if the agent continued that one natively. */
async function* readConversation(
  read: ReadEvents,
  session: string,
  isIncluded: (event: Event) => boolean,
): AsyncGenerator<Event> {
  for await (const event of read(session)) {
    if (!isIncluded(event)) return;
    const continues = event.body.type === "session.started" ? event.body.continues : null;
    if (continues?.outcome === "native")
      yield* readConversation(read, continues.session, createCut(continues, event.occurredAt));
    yield event;
  }
}

/**
 * A fork does not include what was said in the original conversation after the fork. Clocks do not order events: two may
 * have the same time, and a clock may be set back. Only a fork without a sequence, of an older version, is cut by time.
 */
function createCut({ after }: Continuation, forkedAt: string): (event: Event) => boolean {
  if (after === undefined) return ({ occurredAt }) => occurredAt <= forkedAt;
  return ({ sequence }) => sequence <= after;
}
