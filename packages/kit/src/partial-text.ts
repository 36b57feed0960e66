import { maxTextLength } from "@fairlead/contract";
import type { TransitionWriter } from "./transition-writer.ts";

/** A text that an agent streams: what no event has yet. Part of a dialect's state. */
export interface PartialText {
  readonly text: string;
  /** The number of parts that were written. Missing in states that older versions stored. */
  readonly parts?: number;
}

/** The state before a text. */
export const noPartialText: PartialText = { text: "" };

type TextKind = "text" | "reasoning";

/**
 * Adds to a text that an agent streams, and writes a delta. Before the text is too long for one event, what there is of it
 * is written as a part, so that the state stays small. A part ends where a delta ends.
 */
export function appendText<State extends object>(
  writer: TransitionWriter<State>,
  partial: PartialText,
  addition: string,
  kind: TextKind = "text",
): PartialText {
  writer.delta({ type: `${kind}.delta`, text: addition });
  if (partial.text === "" || partial.text.length + addition.length <= maxTextLength)
    return { ...partial, text: partial.text + addition };
  const part = (partial.parts ?? 0) + 1;
  writer.event({ type: `${kind}.ended`, text: partial.text, part });
  return { text: addition, parts: part };
}

/** Writes the rest of a text. Writes no event for an empty text. */
export function endText<State extends object>(
  writer: TransitionWriter<State>,
  { text, parts = 0 }: PartialText,
  kind: TextKind = "text",
): void {
  if (parts > 0) writer.event({ type: `${kind}.ended`, text, part: parts + 1, last: true });
  else if (text !== "") writer.event({ type: `${kind}.ended`, text });
}
