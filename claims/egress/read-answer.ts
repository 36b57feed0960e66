import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";

/** The answer of one turn, as the journal has it. */
export interface Answer {
  readonly text: string;
  readonly outcome: string;
  /** When the keeper received the whole text, or the end of the turn if there is none. */
  readonly endedAt: number;
  readonly lastSequence: number;
}

/** Waits for a part of an answer that is being sent. Returns false if the turn ends first. */
export async function isAnswering(fairlead: Fairlead, session: string, after: number): Promise<boolean> {
  for await (const one of fairlead.events(session, { after, follow: true, deltas: true })) {
    if (!("body" in one) && one.type === "text.delta") return true;
    if ("body" in one && one.body.type === "turn.ended") return false;
  }
  return false;
}

/** Waits for the end of the first turn after a position, and returns its answer. */
export async function readAnswer(fairlead: Fairlead, session: string, after: number): Promise<Answer> {
  const texts: Event[] = [];
  for await (const one of fairlead.events(session, { after, follow: true })) {
    if (!("body" in one)) continue;
    if (one.body.type === "text.ended") texts.push(one);
    if (one.body.type !== "turn.ended") continue;
    return {
      text: texts.flatMap(({ body }) => (body.type === "text.ended" ? [body.text] : [])).join(""),
      outcome: one.body.outcome,
      endedAt: Date.parse(texts[0]?.occurredAt ?? one.occurredAt),
      lastSequence: one.sequence,
    };
  }
  throw new Error("The session ended without the answer.");
}
