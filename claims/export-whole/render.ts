import type { Event } from "@fairlead/contract";
import { renderMarkdown } from "../../packages/contract/src/export/export-markdown.ts";
import { codeQuoting, type Quoting } from "../../packages/contract/src/export/quoting.ts";

/** Renders events with any quoting. */
export async function render(events: Iterable<Event>, quoting: Quoting = codeQuoting): Promise<string> {
  const readEvents = async function* (): AsyncGenerator<Event> {
    yield* events;
  };
  return (await Array.fromAsync(renderMarkdown(readEvents, {}, quoting))).join("");
}
