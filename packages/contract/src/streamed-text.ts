/** What a reader of deltas shows when an event with a text arrives. */
export interface TextRemainder {
  /** What the deltas did not show. */
  readonly text: string;
  /** Whether the reader missed deltas, so that `text` repeats all of the event. */
  readonly isRepeat: boolean;
}

/**
 * The deltas of a text that is not complete yet, and what its events add to them. A part may end anywhere: before, in or
 * after a delta. A reader that missed a delta shows the events only, until the text is complete.
 */
export class StreamedText {
  #deltas = "";
  #isContinued = false;
  #isBehind = false;

  /** The deltas that no event has repeated yet. */
  get deltas(): string {
    return this.#deltas;
  }

  /** Whether a part of the text has arrived, and more parts follow. */
  get isContinued(): boolean {
    return this.#isContinued;
  }

  /** Whether neither a delta nor a part of the text has arrived. */
  get isNew(): boolean {
    return this.#deltas === "" && !this.#isContinued;
  }

  /** Adds a delta. Returns what to show of it. */
  append(text: string): string {
    if (this.#isBehind) return "";
    this.#deltas += text;
    return text;
  }

  /** Compares the deltas with a complete text or a part of one. `isLast` is false if more parts follow. */
  end(text: string, isLast: boolean): TextRemainder {
    const deltas = this.#deltas;
    const isBeginning = text.startsWith(deltas);
    const isShown = !isBeginning && !isLast && deltas.startsWith(text);
    const isRepeat = !isBeginning && !isShown;
    this.#deltas = isShown ? deltas.slice(text.length) : "";
    this.#isContinued = !isLast;
    // Of the deltas that did not fit, some may belong to the next part.
    this.#isBehind = !isLast && (isRepeat || this.#isBehind);
    return { text: isRepeat ? text : isShown ? "" : text.slice(deltas.length), isRepeat };
  }

  /** Forgets a text that will not be completed. */
  clear(): void {
    this.#deltas = "";
    this.#isContinued = this.#isBehind = false;
  }
}
