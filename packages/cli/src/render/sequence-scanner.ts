type ScanState = "text" | "escape" | "intermediate" | "control" | "string" | "string-escape";

const [escape, bell, backslash] = [0x1b, 0x07, 0x5c];

/**
 * Finds the start of an escape sequence that a text does not complete. Reads each character once: a pattern that tries
 * every start would take time that grows with the square of the length. Keeps its state between pieces of a text.
 */
export class SequenceScanner {
  #state: ScanState = "text";

  /**
   * Reads a piece. Returns the index in it where an incomplete sequence starts, `continued` if one that an earlier piece
   * started is still incomplete, or `complete`.
   */
  scan(piece: string): number | "continued" | "complete" {
    let start: number | "continued" = "continued";
    for (let at = 0; at < piece.length; at += 1) {
      const code = piece.charCodeAt(at);
      if (this.#state === "string-escape" && code !== backslash) {
        // The escape character before this one did not end the string. It starts a sequence of its own.
        if (at > 0) start = at - 1;
        this.#state = "escape";
      }
      const next = nextState(this.#state, code);
      // A character that does not belong to the sequence ends it, and may start another one.
      if (next === undefined) start = at;
      this.#state = next ?? firstState(code);
    }
    return this.#state === "text" ? "complete" : start;
  }

  /** Forgets an incomplete sequence. */
  reset(): void {
    this.#state = "text";
  }
}

/** The state that a character outside a sequence leads to. */
function firstState(code: number): ScanState {
  if (code === escape) return "escape";
  if (code === 0x9b) return "control";
  return code === 0x90 || code === 0x98 || (code >= 0x9d && code <= 0x9f) ? "string" : "text";
}

/** The state after a character of a sequence, or undefined if the character does not belong to the sequence. */
function nextState(state: ScanState, code: number): ScanState | undefined {
  switch (state) {
    case "text":
      return undefined;
    case "escape":
      if (code === 0x5b) return "control"; // [
      if (code === 0x5d || code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f) return "string"; // ] P X ^ _
      return nextState("intermediate", code);
    case "intermediate":
      if (code >= 0x20 && code <= 0x2f) return "intermediate";
      return code >= 0x30 && code <= 0x7e ? "text" : undefined;
    case "control":
      if (code >= 0x20 && code <= 0x3f) return "control";
      return code >= 0x40 && code <= 0x7e ? "text" : undefined;
    case "string":
      if (code === bell || code === 0x9c) return "text";
      if (code === escape) return "string-escape";
      // `sanitizeText` reads each of these as the end of the line, where a string ends.
      return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029 ? undefined : "string";
    case "string-escape":
      return "text"; // after a backslash; `scan` handles other characters
  }
}
