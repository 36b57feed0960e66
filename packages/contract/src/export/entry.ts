import type { DocumentWriter, QuotedBlock, QuotedMarkdown } from "./document-writer.ts";
import { Numbering } from "./numbering.ts";
import { zeroUsage, type UsageTotal } from "./session-totals.ts";

/** What an export says about one event. */
export interface Entry {
  /** Missing for an event that takes one line. */
  readonly heading?: QuotedMarkdown;
  /** Facts behind the number and the time of the event. */
  readonly facts?: readonly (QuotedMarkdown | null)[];
  readonly blocks?: readonly QuotedBlock[];
}

/** What an export must remember of the events before. Does not grow with the session. */
export class ExportState {
  readonly calls = new Numbering();
  readonly decisions = new Numbering();
  turns = 0;
  isTurnOpen = false;
  turnUsage: UsageTotal = zeroUsage;
}

/** Names a call by its number, or by the agent's id if the number is not known. */
export function nameCall(writer: DocumentWriter, { calls }: ExportState, call: string): QuotedMarkdown {
  const number = calls.numberOf(call);
  return number === undefined ? writer.words`call ${call}` : writer.words`call ${number}`;
}

/** Writes a value over several lines. */
export function toIndentedJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}

/** Names the cost and the tokens of a turn or a session. */
export function describeUsage(
  { words }: DocumentWriter,
  { tokens, cost }: UsageTotal,
): { readonly cost: QuotedMarkdown; readonly tokens: QuotedMarkdown } {
  const { uncached, cacheRead, cacheWrite, output, reasoning } = tokens;
  const isReported = Object.values(tokens).some((count) => count > 0);
  return {
    cost: cost === null ? words`not reported` : words`${Number(cost.toFixed(6))} USD`,
    tokens: isReported
      ? words`${uncached} uncached, ${cacheRead} read from the cache, ${cacheWrite} written to the cache, ${output} output (${reasoning} of it reasoning)`
      : words`not reported`,
  };
}
