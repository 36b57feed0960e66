import type { EventOf, ReadEvent } from "@fairlead/contract";
import { withAnswer } from "./with-answer.ts";
import { continuedKey, continueRow, isOnlyContinuation } from "./continue-row.ts";
import { groupLookups } from "./group-lookups.ts";
import { changedPath, rowOfEvent } from "./row-of-event.ts";
import type { RowPosition, Timeline, TimelinePage } from "./timeline.ts";
import type { TimelineRow } from "./timeline-row.ts";

interface PageDraft {
  readonly index: number;
  readonly events: ReadEvent[];
  readonly items: TimelineRow[];
}

/** A timeline while events are added to it. Only pages that change are copied, once for all events. */
export class TimelineDraft {
  readonly #timeline: Timeline;
  readonly #pages: (TimelinePage | PageDraft)[];
  readonly #drafts = new Map<number, PageDraft>();
  readonly #open: Map<string, RowPosition>;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#pages = [...timeline.pages];
    this.#open = new Map(timeline.open);
  }

  add(event: ReadEvent): void {
    const page = this.#pageFor(event);
    const previousAt = page.events.at(-1)?.occurredAt ?? null;
    page.events.push(event);
    if (this.#continues(event, page)) return;
    const key = this.#timeline.keys.get(event.sequence) ?? `e${event.sequence}`;
    const row = rowOfEvent({ event, key, previousAt });
    if (row === null) return;
    const open = continuedKey(event.body);
    // Changes that have a row of their own are not the call, whose end is still to come.
    if (open !== null && event.body.type !== "turn.started" && event.body.type !== "file.changed") {
      this.#open.set(open, { page: page.index, item: page.items.length });
    }
    page.items.push(row);
  }

  /** Groups the rows. A row of `before` is returned again if it was made of the same events. */
  finish(before: Timeline = this.#timeline): Timeline {
    const beforePages = new Map(before.pages.map((page) => [page.index, page]));
    const pages = this.#pages.map((page) => {
      const draft = this.#drafts.get(page.index);
      if (draft === undefined) return page as TimelinePage;
      const old = beforePages.get(draft.index);
      const items = old === undefined ? draft.items : withKnownRows(draft.items, old.items);
      return { ...draft, items, rows: groupLookups(items, old?.rows ?? []) };
    });
    return { ...this.#timeline, pages, open: this.#open };
  }

  #pageFor({ sequence }: ReadEvent): PageDraft {
    const index = Math.floor((sequence - 1) / this.#timeline.pageSize);
    const last = this.#pages.at(-1);
    if (last?.index === index) return this.#draftOf(this.#pages.length - 1);
    const page: PageDraft = { index, events: [], items: [] };
    this.#pages.push(page);
    this.#drafts.set(index, page);
    return page;
  }

  #draftOf(at: number): PageDraft {
    const page = this.#pages[at];
    if (page === undefined) throw new RangeError(`No page ${at}.`);
    const known = this.#drafts.get(page.index);
    if (known !== undefined) return known;
    const draft: PageDraft = { index: page.index, events: [...page.events], items: [...page.items] };
    this.#pages[at] = draft;
    this.#drafts.set(page.index, draft);
    return draft;
  }

  /** Whether the event belongs to an earlier row and begins none. */
  #continues(event: ReadEvent, page: PageDraft): boolean {
    const { body } = event;
    if (body.type === "decision.resolved") this.#withAnswer(event, body);
    const key = continuedKey(body);
    const position = key === null ? undefined : this.#open.get(key);
    // Whether the call of a change is held depends on the pages that are held, unless it is on the same page.
    const isFar = body.type === "file.changed" && position?.page !== page.index;
    const isNext =
      body.type !== "tool.requested" && body.type !== "decision.requested" && body.type !== "message.queued";
    if (position !== undefined && isNext && !isFar && this.#replace(position, event))
      return body.type !== "turn.started";
    if (body.type === "file.changed") return addToFiles(page, event);
    return isOnlyContinuation(event);
  }

  /** Adds an answer to the row of the call that it is about, besides the row of the request. */
  #withAnswer({ sequence, occurredAt }: ReadEvent, answer: EventOf<"decision.resolved">): void {
    const request = this.#itemAt(this.#open.get(`decision ${answer.decision}`));
    if (request?.type !== "decision" || request.resolution !== null || request.request.call === undefined) return;
    const position = this.#open.get(`call ${request.request.call}`);
    const call = this.#itemAt(position);
    // Of a call after its request, which no agent makes, the request may be on a page that is not held.
    if (position === undefined || call?.type !== "tool" || call.first > request.first) return;
    const { items } = this.#draftOf(position.page - (this.#pages[0]?.index ?? 0));
    items[position.item] = withAnswer(call, { answer, sequence, requestedAt: request.at, resolvedAt: occurredAt });
  }

  #itemAt(position: RowPosition | undefined): TimelineRow | undefined {
    if (position === undefined) return undefined;
    return this.#pages[position.page - (this.#pages[0]?.index ?? 0)]?.items[position.item];
  }

  #replace({ page, item }: RowPosition, event: ReadEvent): boolean {
    const at = page - (this.#pages[0]?.index ?? 0);
    const row = this.#pages[at]?.items[item];
    const next = row === undefined ? null : continueRow(row, event);
    if (next === null) return false;
    this.#draftOf(at).items[item] = next;
    return true;
  }
}

/** Adds a change to the changes directly before it on its page. */
function addToFiles({ items }: PageDraft, { body, sequence }: ReadEvent): boolean {
  const row = items.at(-1);
  if (body.type !== "file.changed" || row?.type !== "files") return false;
  items[items.length - 1] = { ...row, last: sequence, size: row.size + 1, files: [...row.files, changedPath(body)] };
  return true;
}

function withKnownRows(items: readonly TimelineRow[], before: readonly TimelineRow[]): readonly TimelineRow[] {
  const known = new Map(before.map((row) => [row.key, row]));
  return items.map((row) => {
    const old = known.get(row.key);
    return old?.last === row.last && old.size === row.size ? old : row;
  });
}
