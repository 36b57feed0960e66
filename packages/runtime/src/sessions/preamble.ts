import type { Event } from "@fairlead/contract";

/** Limit of the preamble in characters. The beginning of a longer conversation is left out. */
const maxLength = 12_000;

type ReadEvents = (session: string) => AsyncIterable<Event>;

/** Builds a text with an earlier conversation, for an agent that does not have it. Returns no text if it was empty. */
export async function buildPreamble(read: ReadEvents, session: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { body } of readConversation(read, session)) {
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
async function* readConversation(read: ReadEvents, session: string, until?: string): AsyncGenerator<Event> {
  for await (const event of read(session)) {
    // A fork does not include what was said in the original conversation after the fork.
    if (until !== undefined && event.occurredAt > until) return;
    const continues = event.body.type === "session.started" ? event.body.continues : null;
    if (continues?.outcome === "native") yield* readConversation(read, continues.session, event.occurredAt);
    yield event;
  }
}
