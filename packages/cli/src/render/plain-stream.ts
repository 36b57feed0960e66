// oxlint-disable no-control-regex -- control characters are what this file is about
import { plain } from "./plain.ts";

/** The beginning of something that only the next piece of text completes. */
const unfinished =
  /(?:\x1b[\x20-\x2f]*|(?:\x1b\[|\x9b)[\x20-\x3f]*|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*\x1b?|\r|[\ud800-\udbff])$/;
const longestHeld = 4096;

/** `plain` for text that comes in pieces: a sequence that is cut in two is still taken out whole. */
export class PlainStream {
  #held = "";

  push(piece: string): string {
    const text = this.#held + piece;
    const at = text.search(unfinished);
    const cut = at < 0 || text.length - at > longestHeld ? text.length : at;
    this.#held = text.slice(cut);
    return plain(text.slice(0, cut));
  }

  /** What was held back, now that nothing follows. */
  end(): string {
    const rest = plain(this.#held);
    this.#held = "";
    return rest;
  }
}
