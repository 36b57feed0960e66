import type { Fairlead } from "@fairlead/api";
import { type Event, needsPerson } from "@fairlead/contract";
import { appendEvents, emptyTimeline } from "../../packages/web/src/state/timeline/timeline.ts";
import { eventPageSize } from "../../packages/web/src/state/timeline/event-window.ts";
import type { TimelineRow } from "../../packages/web/src/state/timeline/timeline-row.ts";

/** What a page must show of a session, from its journal alone. */
export interface SessionTruth {
  readonly state: "working" | "waiting" | "idle" | "ended";
  readonly openDecisions: readonly string[];
  readonly last: number;
}

/** Reads journals, and says what pages must show. */
export class Truth {
  readonly #fairlead: Fairlead;
  readonly #journals = new Map<string, Event[]>();
  readonly #reading = new Map<string, Promise<readonly Event[]>>();

  constructor(fairlead: Fairlead) {
    this.#fairlead = fairlead;
  }

  /** Reads what was added, one reader after the other. */
  read(session: string): Promise<readonly Event[]> {
    const before = this.#reading.get(session) ?? Promise.resolve([]);
    const reading = before.then(() => this.#readMore(session));
    this.#reading.set(session, reading);
    return reading;
  }

  async #readMore(session: string): Promise<readonly Event[]> {
    const journal = this.#journals.get(session) ?? [];
    this.#journals.set(session, journal);
    for await (const event of this.#fairlead.events(session, { after: journal.at(-1)?.sequence ?? 0 }))
      if ("sequence" in event) journal.push(event);
    return journal;
  }

  async readSession(session: string): Promise<SessionTruth> {
    return foldSession(await this.read(session));
  }

  /** The rows of the timeline that has all events of a session. */
  async readRows(session: string): Promise<readonly TimelineRow[]> {
    const timeline = appendEvents(emptyTimeline(eventPageSize), await this.read(session));
    return timeline.pages.flatMap(({ rows }) => rows);
  }
}

function foldSession(journal: readonly Event[]): SessionTruth {
  const open = new Set<string>();
  let isWorking = false;
  let isEnded = false;
  for (const { body } of journal) {
    if (body.type === "turn.started") isWorking = true;
    if (body.type === "turn.ended") isWorking = false;
    if (body.type === "session.ended") isEnded = true;
    if (body.type === "decision.requested" && needsPerson("default", body)) open.add(body.decision);
    if (body.type === "decision.resolved") open.delete(body.decision);
  }
  const state = isEnded ? "ended" : open.size > 0 ? "waiting" : isWorking ? "working" : "idle";
  return { state, openDecisions: [...open], last: journal.at(-1)?.sequence ?? 0 };
}
