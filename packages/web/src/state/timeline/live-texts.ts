import { type Delta, type Event, isTextComplete } from "@fairlead/contract";
import type { TextRow } from "./timeline-row.ts";

/** The text that the agent is writing, of which no event exists yet. */
export interface LiveText {
  readonly row: TextRow;
  /** Set after a part of the text arrived that the deltas do not fit. The events show the text then. */
  readonly isBehind: boolean;
}

/** The texts that are being written: at most one of each type for the agent and each of its sub-agents. */
export interface LiveTexts {
  readonly texts: readonly LiveText[];
  /** How many texts there have been, for their keys. */
  readonly count: number;
}

export const noLiveTexts: LiveTexts = { texts: [], count: 0 };

/** Adds a delta. Only the text that it belongs to changes. */
export function withDelta(live: LiveTexts, { type, text, parent }: Delta): LiveTexts {
  if (type === "screen") return live;
  const kind = type === "text.delta" ? "text" : "reasoning";
  const at = findText(live, kind, parent);
  const known = live.texts[at];
  if (known === undefined) {
    const row = createRow(live, kind, text, parent);
    return { texts: [...live.texts, { row, isBehind: false }], count: live.count + 1 };
  }
  if (known.isBehind) return live;
  const { row } = known;
  const grown = { ...row, size: row.size + text.length, text: row.text + text };
  return { ...live, texts: live.texts.with(at, { ...known, row: grown }) };
}

/** Ends the text that an event completes. Returns its key, with which its row stays the same on the screen. */
export function endLiveText(
  live: LiveTexts,
  { body }: Event,
): { readonly live: LiveTexts; readonly key: string | null } {
  if (body.type === "turn.ended" || body.type === "turn.started") {
    return { live: live.texts.length === 0 ? live : { ...live, texts: [] }, key: null };
  }
  if (body.type !== "text.ended" && body.type !== "reasoning.ended") return { live, key: null };
  const kind = body.type === "text.ended" ? "text" : "reasoning";
  const at = findText(live, kind, body.parent);
  const known = live.texts[at];
  if (known === undefined) return { live, key: null };
  const { row } = known;
  const key = body.part === undefined || body.part === 1 ? row.key : null;
  if (isTextComplete(body)) return { live: { ...live, texts: live.texts.toSpliced(at, 1) }, key };
  const isBeginning = row.text.startsWith(body.text);
  // The row of the event has the key now, so what the deltas have beyond it gets another one.
  const rest: LiveText = {
    row: createRow(live, kind, isBeginning ? row.text.slice(body.text.length) : "", body.parent),
    isBehind: !isBeginning && !body.text.startsWith(row.text),
  };
  return { live: { texts: live.texts.with(at, rest), count: live.count + 1 }, key };
}

function findText({ texts }: LiveTexts, type: TextRow["type"], parent: string | undefined): number {
  return texts.findIndex(({ row }) => row.type === type && row.parent === parent);
}

/** Its number is after every other, because its event does not exist yet. */
function createRow({ count }: LiveTexts, type: TextRow["type"], text: string, parent: string | undefined): TextRow {
  const number = Number.MAX_SAFE_INTEGER;
  const base = { key: `live${count}`, first: number, last: number, size: text.length, hidden: 0, at: "" };
  return { ...base, type, text, isOpen: true, seconds: null, ...(parent !== undefined && { parent }) };
}
