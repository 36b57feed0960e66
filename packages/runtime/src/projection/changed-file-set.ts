import { isAbsolute, join } from "node:path";

/** The most files that are told apart. */
const maxFiles = 500;

/**
 * Counts different files. It keeps a hash of each path, because a row of the index contains the set and must stay small. Two
 * of 500 paths have the same hash once in 30,000 sessions.
 */
export class ChangedFileSet {
  readonly #hashes: Set<string>;

  constructor(content = "") {
    this.#hashes = new Set(content.split(" ").filter(Boolean));
  }

  get size(): number {
    return this.#hashes.size;
  }

  get content(): string {
    return [...this.#hashes].join(" ");
  }

  add(path: string, workspace: string): void {
    if (this.#hashes.size < maxFiles) this.#hashes.add(hash(isAbsolute(path) ? path : join(workspace, path)));
  }
}

/** FNV-1a over the UTF-16 code units: fast, short, and the same in every process. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(36);
}
