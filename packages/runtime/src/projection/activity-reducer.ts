import type { Event, EventOf, ToolActionKind } from "@fairlead/contract";
import { ChangedFileSet } from "./changed-file-set.ts";
import { stripMarkdown } from "./strip-markdown.ts";
import { toShortLine } from "./to-short-line.ts";

/** What a list shows of the work of a session. */
export interface ActivitySummary {
  /** What the agent does now; null if it is not in a turn, or has done nothing in it yet. */
  readonly activity: CurrentActivity | null;
  /** The files that changed; null if no change is known. No event says how many lines did. */
  readonly changes: { readonly files: number; readonly added: null; readonly removed: null } | null;
  /** The number of all tokens that the agent reported. */
  readonly tokens: number;
  /** The number of events in each minute up to the newest event; null before the first event. */
  readonly recentEvents: { readonly newest: string; readonly counts: readonly number[] } | null;
}

export interface CurrentActivity {
  readonly kind: ToolActionKind | "text" | "reasoning";
  readonly text: string;
}

/** What a row of the index contains of the work of a session. */
export interface ActivityContent {
  /** The open tool calls, the newest one last. */
  readonly calls: readonly (readonly [call: string, activity: CurrentActivity])[];
  /** The beginning of the newest text or reasoning of the turn. */
  readonly wrote: CurrentActivity | null;
  readonly files: string;
  /** The minute of the newest event, counted from 1970. */
  readonly minute: number;
  readonly counts: readonly number[];
}

/** Older ones of more open calls are not shown. */
const maxCalls = 8;
const maxMinutes = 16;
const minuteMs = 60_000;
/** Of a longer text, the beginning is shown, so that its cost does not depend on its length. */
const maxTextRead = 1000;
/** Agents choose the ids of their calls. Of a longer one, the beginning is compared. */
const maxCallLength = 100;

/** Reduces the events of a session to what it does. Its cost by event and its size do not depend on their number. */
export class ActivityReducer {
  readonly #calls: Map<string, CurrentActivity>;
  readonly #files: ChangedFileSet;
  #wrote: CurrentActivity | null;
  #minute: number;
  #counts: readonly number[];

  constructor({ calls = [], wrote = null, files = "", minute = 0, counts = [] }: Partial<ActivityContent> = {}) {
    this.#calls = new Map(calls);
    this.#wrote = wrote;
    this.#files = new ChangedFileSet(files);
    this.#minute = minute;
    this.#counts = counts;
  }

  get summary(): Omit<ActivitySummary, "tokens"> {
    const { size: files } = this.#files;
    const newest = new Date(this.#minute * minuteMs).toISOString();
    return {
      activity: [...this.#calls.values()].at(-1) ?? this.#wrote,
      changes: files === 0 ? null : { files, added: null, removed: null },
      recentEvents: this.#counts.length === 0 ? null : { newest, counts: this.#counts },
    };
  }

  get content(): ActivityContent {
    const calls = [...this.#calls];
    return { calls, wrote: this.#wrote, files: this.#files.content, minute: this.#minute, counts: this.#counts };
  }

  add({ body, occurredAt }: Pick<Event, "body" | "occurredAt">, workspace: string): void {
    this.#count(Math.floor(Date.parse(occurredAt) / minuteMs));
    switch (body.type) {
      case "tool.requested":
        return this.#open(body, workspace);
      case "tool.ended":
        this.#calls.delete(body.call.slice(0, maxCallLength));
        return;
      case "text.ended":
      case "reasoning.ended":
        // A sub-agent writes within a call of its agent, which is open and says more.
        if (body.parent !== undefined) return;
        this.#wrote = {
          kind: body.type === "text.ended" ? "text" : "reasoning",
          text: toShortLine(stripMarkdown(body.text.slice(0, maxTextRead))),
        };
        return;
      case "file.changed":
        return this.#files.add(body.path, workspace);
      case "turn.started":
      case "turn.ended":
      case "session.ended":
        this.#calls.clear();
        this.#wrote = null;
    }
  }

  #open({ call, name, action }: EventOf<"tool.requested">, workspace: string): void {
    const { kind = "other", command, paths = [], hosts = [] } = action ?? {};
    const folder = `${workspace}/`;
    const files = paths.slice(0, 4).map((path) => (path.startsWith(folder) ? path.slice(folder.length) : path));
    const text = [command, files.join(", "), hosts.slice(0, 4).join(", ")].find(Boolean) ?? name;
    const id = call.slice(0, maxCallLength);
    this.#calls.delete(id);
    this.#calls.set(id, { kind, text: toShortLine(text) });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > maxCalls && oldest !== undefined) this.#calls.delete(oldest);
  }

  /** A clock that was set back counts in the newest minute. */
  #count(minute: number): void {
    const passed = this.#counts.length === 0 ? 1 : Math.max(0, minute - this.#minute);
    const shifted = [...this.#counts, ...Array.from({ length: Math.min(passed, maxMinutes) }, () => 0)];
    this.#counts = shifted.slice(-maxMinutes).map((count, index, { length }) => count + Number(index === length - 1));
    this.#minute = Math.max(minute, this.#minute);
  }
}
