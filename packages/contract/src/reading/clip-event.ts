import { z } from "zod";
import { endBefore } from "../event-size.ts";
import { Event } from "../event.ts";

/** A part of an event that was cut for a reader. */
export const ClippedPart = z.strictObject({
  /** Where the part is in the event, as a JSON pointer: `/body/input/content`. */
  path: z.string(),
  /** Its whole length: the UTF-16 code units of a text, or the entries of a list or an object. */
  length: z.int().nonnegative(),
});
export type ClippedPart = z.infer<typeof ClippedPart>;

/** An event as a reader gets it. Without `clipped`, it is the event in the journal. */
export const ReadEvent = Event.extend({
  /** The parts that were cut because the reader asked for short events. The event by its number has them. */
  clipped: z.array(ClippedPart).exactOptional(),
});
export type ReadEvent = z.infer<typeof ReadEvent>;

/**
 * Of an event, a reader gets at most about this many times the length of one text. Otherwise an input of many short texts
 * would stay as large as it is.
 */
const textsPerEvent = 32;
const maxDepth = 64;
/** What a value costs besides its text. */
const valueCost = 8;

/** The fields by which events refer to each other. Two cut ones could be equal, and a reader would mix up two calls. */
const references: ReadonlySet<string> = new Set(["turn", "call", "decision", "parent"]);

/**
 * Cuts the long texts of an event to `limit` UTF-16 code units, and lists and objects of very many entries. The result, without
 * its field `clipped`, is an event. Returns the event unchanged if it is short.
 */
export function clipEvent(event: Event, limit: number): ReadEvent {
  const clipper = new Clipper(limit);
  const body = clipper.clipBody(event.body);
  return clipper.clipped.length === 0 ? event : { ...event, body, clipped: clipper.clipped };
}

class Clipper {
  readonly clipped: ClippedPart[] = [];
  readonly #limit: number;
  readonly #path: (string | number)[] = ["body"];
  #left: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.#left = textsPerEvent * limit;
  }

  clipBody(body: Event["body"]): Event["body"] {
    const fields = Object.entries(body).map(([name, value]) => {
      // Only the input of a call may lose fields: the schema requires those of other objects.
      return [name, references.has(name) ? value : this.#clipEntry(name, value, name === "input")];
    });
    return this.clipped.length === 0 ? body : (Object.fromEntries(fields) as Event["body"]);
  }

  #clipEntry(key: string | number, value: unknown, mayLoseFields: boolean): unknown {
    this.#path.push(key);
    const result = this.#clip(value, mayLoseFields);
    this.#path.pop();
    return result;
  }

  #clip(value: unknown, mayLoseFields: boolean): unknown {
    this.#left -= valueCost;
    if (typeof value === "string") return this.#clipText(value);
    if (Array.isArray(value)) return this.#clipList(value, mayLoseFields);
    return typeof value === "object" && value !== null ? this.#clipFields(value, mayLoseFields) : value;
  }

  #clipText(text: string): string {
    const end = text.length <= this.#limit ? text.length : endBefore(text, this.#limit);
    this.#left -= end;
    if (end === text.length) return text;
    this.#addClipped(text.length);
    return text.slice(0, end);
  }

  #clipList(list: readonly unknown[], mayLoseFields: boolean): readonly unknown[] {
    const kept: unknown[] = [];
    for (const item of list) {
      // A list may have to have an item.
      if (kept.length > 0 && this.#left <= 0) break;
      if (this.#path.length > maxDepth) break;
      kept.push(this.#clipEntry(kept.length, item, mayLoseFields));
    }
    if (kept.length < list.length) this.#addClipped(list.length);
    return kept;
  }

  #clipFields(fields: object, mayLoseFields: boolean): object {
    const entries = Object.entries(fields);
    const kept: [string, unknown][] = [];
    for (const [name, value] of entries) {
      const isTooMuch = this.#left <= 0 || name.length > this.#limit || this.#path.length > maxDepth;
      if (mayLoseFields && isTooMuch) continue;
      this.#left -= name.length;
      kept.push([name, this.#clipEntry(name, value, mayLoseFields)]);
    }
    if (kept.length < entries.length) this.#addClipped(entries.length);
    return Object.fromEntries(kept);
  }

  #addClipped(length: number): void {
    const steps = this.#path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`);
    this.clipped.push({ path: steps.join(""), length });
  }
}
