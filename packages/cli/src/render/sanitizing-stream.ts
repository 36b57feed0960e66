// oxlint-disable no-control-regex -- control characters are what this file is about
import { sanitizeText } from "./sanitize-text.ts";

/** The start of a sequence that the next piece may complete. */
const incompleteSequence =
  /(?:\x1b[\x20-\x2f]*|(?:\x1b\[|\x9b)[\x20-\x3f]*|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*\x1b?|\r|[\ud800-\udbff])$/;
const maxBuffered = 4096;

/** Applies `sanitizeText` to text in pieces. Removes sequences that are split across pieces. */
export class SanitizingStream {
  #buffer = "";

  push(piece: string): string {
    const text = this.#buffer + piece;
    const at = text.search(incompleteSequence);
    const boundary = at < 0 || text.length - at > maxBuffered ? text.length : at;
    this.#buffer = text.slice(boundary);
    return sanitizeText(text.slice(0, boundary));
  }

  /** Returns the buffered rest at the end of the text. */
  end(): string {
    const rest = sanitizeText(this.#buffer);
    this.#buffer = "";
    return rest;
  }
}
