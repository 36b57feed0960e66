import type { Delta } from "../agent-event.ts";
import type { Event } from "../event.ts";
import { describeEvent } from "./describe-event.ts";
import { describeSessionHead } from "./describe-session-head.ts";
import { DocumentWriter } from "./document-writer.ts";
import { ExportState, type Entry } from "./entry.ts";
import { codeQuoting, type Quoting } from "./quoting.ts";
import { sumUpSession } from "./session-totals.ts";

export interface MarkdownExportOptions {
  /** Write only events after this sequence number. Turns, calls and decisions are still counted from the first event. */
  readonly after?: number;
  /** Write no event after this sequence number. */
  readonly upTo?: number;
}

/** Reads the events of a session from the first one on. Called twice. */
export type ReadEvents = () => AsyncIterable<Event | Delta>;

/**
 * Writes a session as Markdown for a person: every message, text, call and decision, in the order of the journal. The text
 * of people, agents and tools cannot form a heading, a link, HTML or the end of a block, and no control character is left
 * in it. Reads the events twice, first for the totals in the head, so that memory does not grow with the session.
 */
export async function* exportMarkdown(
  readEvents: ReadEvents,
  options: MarkdownExportOptions = {},
): AsyncGenerator<string> {
  yield* renderMarkdown(readEvents, options, codeQuoting);
}

/** Renders a session with any quoting. Tests replace it to show what the quoting prevents. */
export async function* renderMarkdown(
  readEvents: ReadEvents,
  { after = 0, upTo = Infinity }: MarkdownExportOptions,
  quoting: Quoting,
): AsyncGenerator<string> {
  const writer = new DocumentWriter(quoting);
  const totals = await sumUpSession(readEvents(), upTo);
  yield describeSessionHead(writer, totals, after);
  const end = totals.last?.sequence ?? 0;
  const state = new ExportState();
  let section: string | null = null;
  for await (const event of readEvents()) {
    if (!("body" in event)) continue;
    if (event.sequence > end) break;
    // The end of a turn still belongs to it.
    const wasTurnOpen = state.isTurnOpen;
    const entry = describeEvent(writer, state, event);
    if (event.sequence <= after || entry === null) continue;
    const isInTurn = wasTurnOpen || state.isTurnOpen;
    const title = isInTurn ? writer.words`Turn ${state.turns}` : writer.words`Outside a turn`;
    const isNew = section !== title.text || event.body.type === "turn.started";
    section = title.text;
    yield `${isNew ? writer.heading(2, title) : ""}${renderEntry(writer, event, entry)}`;
  }
}

function renderEntry(writer: DocumentWriter, event: Event, { heading, facts = [], blocks = [] }: Entry): string {
  const { words } = writer;
  const line = writer.join(
    [
      words`${event.sequence}`,
      writer.time(event.occurredAt),
      event.synthetic ? words`written by the runtime` : null,
      ...facts,
    ],
    " · ",
  );
  const title = heading === undefined ? "" : writer.heading(3, heading);
  return `${title}${writer.paragraph(line)}${blocks.map((block) => writer.block(block)).join("")}`;
}
