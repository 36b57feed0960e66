import { sanitizeText } from "@fairlead/api";
import { SequenceScanner } from "./sequence-scanner.ts";

const maxBuffered = 4096;

/** Applies `sanitizeText` to text in pieces. Removes sequences that are split across pieces. */
export class SanitizingStream {
  readonly #scanner = new SequenceScanner();
  /** The start of a sequence that the next piece may complete. */
  #buffer = "";

  push(piece: string): string {
    const text = this.#buffer + piece;
    const boundary = this.#findBoundary(text, this.#scanner.scan(piece), text.length - piece.length);
    this.#buffer = text.slice(boundary);
    return sanitizeText(text.slice(0, boundary));
  }

  /** Returns the buffered rest at the end of the text. */
  end(): string {
    const rest = sanitizeText(this.#buffer);
    this.#buffer = "";
    this.#scanner.reset();
    return rest;
  }

  /** Returns how much of the text can be shown. */
  #findBoundary(text: string, incomplete: ReturnType<SequenceScanner["scan"]>, pieceStart: number): number {
    if (incomplete === "complete") return isHalfOfPair(text) ? text.length - 1 : text.length;
    const boundary = incomplete === "continued" ? 0 : pieceStart + incomplete;
    if (text.length - boundary <= maxBuffered) return boundary;
    this.#scanner.reset();
    return text.length;
  }
}

/** Whether the last character may form one with the next: a carriage return, or the first half of a surrogate pair. */
function isHalfOfPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last === 0x0d || (last >= 0xd800 && last <= 0xdbff);
}
