import type { Continuation, Event } from "@fairlead/contract";

/** Limit of the preamble in characters. The beginning of a longer conversation is left out. */
const maxLength = 12_000;

type ReadEvents = (session: string) => AsyncIterable<Event>;

/**
 * Builds a text with an earlier conversation up to the event with the sequence `last`, for an agent that does not have it.
 * Returns no text if it was empty.
 */
export async function buildPreamble(read: ReadEvents, session: string, last = Infinity): Promise<string[]> {
  const lines: string[] = [];
  for await (const { body } of readConversation(read, session, ({ sequence }) => sequence <= last)) {
    if (body.type === "turn.started" && body.input !== "") lines.push(`Person: ${body.input}`);
    if (body.type === "text.ended" && body.parent === undefined) lines.push(`Agent: ${body.text}`);
    if (body.type === "file.changed") lines.push(`(The agent ${body.change} ${body.path}.)`);
  }
  if (lines.length === 0) return [];
  const conversation = lines.join("\n");
  const excerpt = conversation.length > maxLength ? `(…)\n${conversation.slice(-maxLength)}` : conversation;
  return [
    `This conversation continues an earlier one that you do not remember. The earlier conversation:\n\n${excerpt}`,
  ];
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
