import type { Event } from "@fairlead/contract";

/** More than this of an old conversation is not said again; what is left out is the beginning. */
const longest = 12_000;

type Read = (session: string) => AsyncIterable<Event>;

/** What was said in an earlier session, for an agent that does not remember it; nothing if nothing was said. */
export async function preambleOf(read: Read, session: string): Promise<string[]> {
  const said: string[] = [];
  for await (const { body } of remembered(read, session)) {
    if (body.type === "turn.started" && body.input !== "") said.push(`Person: ${body.input}`);
    if (body.type === "text.ended" && body.parent === undefined) said.push(`Agent: ${body.text}`);
    if (body.type === "file.changed") said.push(`(The agent ${body.change} ${body.path}.)`);
  }
  if (said.length === 0) return [];
  const whole = said.join("\n");
  const kept = whole.length > longest ? `(…)\n${whole.slice(-longest)}` : whole;
  return [`This conversation goes on from an earlier one, of which you have no memory. It went like this:\n\n${kept}`];
}

/** What an agent has in mind: where it goes on in its own memory, what was said in the session before as well. */
async function* remembered(read: Read, session: string, until?: string): AsyncGenerator<Event> {
  for await (const event of read(session)) {
    // Of a conversation that was forked, what was said in it afterwards is not known in the fork.
    if (until !== undefined && event.occurredAt > until) return;
    const continues = event.body.type === "session.started" ? event.body.continues : null;
    if (continues?.outcome === "native") yield* remembered(read, continues.session, event.occurredAt);
    yield event;
  }
}
