import {
  credentialBeginnings,
  maskCredentials,
  maskCredentialsIn,
  type Delta,
  type EventDraft,
} from "@fairlead/contract";

/** How much of a text waits at most. */
const maxHeldLength = 1024;
/** Events after which no delta continues a text: the event has the whole text, or its turn is over. */
const endsOfText: ReadonlySet<string> = new Set(["text.ended", "reasoning.ended", "turn.ended", "session.ended"]);

/**
 * Masks what looks like a credential in all that is shown or stored in the journal. A delta that may end inside a token is
 * held back until the next delta, or until the event that has the whole text. The screen of a terminal is not changed: it
 * is shown only to the person who leads, and a credential in it can have any control sequences.
 */
export class OutputMasker {
  /** The end of the deltas of each text. */
  readonly #held = new Map<string, string>();

  mask(outputs: readonly (EventDraft | Delta)[]): (EventDraft | Delta)[] {
    return outputs.flatMap((output): (EventDraft | Delta)[] =>
      "body" in output ? [this.#maskEvent(output)] : this.#maskDelta(output),
    );
  }

  #maskEvent(event: EventDraft): EventDraft {
    if (this.#held.size > 0 && endsOfText.has(event.body.type)) this.#held.clear();
    const body = maskCredentialsIn(event.body);
    return body === event.body ? event : { ...event, body };
  }

  #maskDelta(delta: Delta): Delta[] {
    if (delta.type === "screen") return [delta];
    const key = `${delta.type}/${delta.parent ?? ""}`;
    const text = (this.#held.get(key) ?? "") + delta.text;
    const hold = findPossibleToken(text);
    if (hold === text.length) this.#held.delete(key);
    else this.#held.set(key, text.slice(hold));
    const settled = maskCredentials(text.slice(0, hold));
    return settled === "" ? [] : [settled === delta.text ? delta : { ...delta, text: settled }];
  }
}

/** Finds the word at the end of a text that may be the beginning of a token. Returns the length if it is none. */
function findPossibleToken(text: string): number {
  let start = text.length;
  // Backwards: a pattern would try to match at every character before the end.
  while (start > 0 && text.length - start < maxHeldLength && isTokenCharacter(text.charCodeAt(start - 1))) start -= 1;
  for (const { index } of text.slice(start).matchAll(/(?<![\w-])[\w-]/g)) {
    const rest = text.slice(start + index);
    const isPossible = credentialBeginnings.some((one) => one.startsWith(rest) || rest.startsWith(one));
    if (isPossible) return start + index;
  }
  return text.length;
}

/** Letters, digits, `_`, `-` and `.`. */
function isTokenCharacter(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return isLetter || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d || code === 0x2e;
}
