import type { Event } from "@fairlead/contract";

/** More than this of an old conversation is not said again; what is left out is the beginning. */
const longest = 12_000;

/** What was said in an earlier session, for an agent that does not remember it. */
export async function preambleOf(events: AsyncIterable<Event>): Promise<string> {
  const said: string[] = [];
  for await (const { body } of events) {
    if (body.type === "turn.started" && body.input !== "") said.push(`Person: ${body.input}`);
    if (body.type === "text.ended" && body.parent === undefined) said.push(`Agent: ${body.text}`);
    if (body.type === "file.changed") said.push(`(The agent ${body.change} ${body.path}.)`);
  }
  const whole = said.join("\n");
  const kept = whole.length > longest ? `(…)\n${whole.slice(-longest)}` : whole;
  return `This conversation goes on from an earlier one, of which you have no memory. It went like this:\n\n${kept}\n\nThe person now says:\n\n`;
}
