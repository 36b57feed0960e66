import { createHash } from "node:crypto";
import { assertNamespace } from "../log/stream-layout.ts";

/** The parts of a key that end with a slash and become tokens of the subject, so that a listing reads only what it may need. */
const indexedParts = 3;
const noPart = "-";

/** The names of the streams and subjects of an object store. */
export class ObjectLayout {
  /** The stream that has one record for each key. */
  readonly objects: string;
  /** The stream with the bytes. */
  readonly chunks: string;
  readonly #namespace: string;

  constructor(namespace: string) {
    assertNamespace(namespace);
    this.#namespace = namespace;
    this.objects = `${namespace}_OBJECTS`;
    this.chunks = `${namespace}_CHUNKS`;
  }

  /** The subject that matches the records of all keys. */
  get allObjects(): string {
    return `${this.#namespace}.object.>`;
  }

  /** The subject that matches all chunks. */
  get allChunks(): string {
    return `${this.#namespace}.chunk.*`;
  }

  /** The subject of the record that says when leftovers were looked for. It is in the stream of the objects. */
  get sweepSubject(): string {
    return `${this.#namespace}.object.sweep`;
  }

  /** Returns the subject of a key's record. The digest of the key makes it unique. */
  recordSubject(key: string): string {
    return `${this.#namespace}.object.${[...this.#partsOf(key, noPart), digest(key)].join(".")}`;
  }

  /** Returns a subject that matches the records of all keys with a prefix, and of others. */
  recordsWithPrefix(prefix: string): string {
    return `${this.#namespace}.object.${[...this.#partsOf(prefix, "*"), "*"].join(".")}`;
  }

  chunkSubject(id: string): string {
    return `${this.#namespace}.chunk.${id}`;
  }

  /** Returns the id of the object to which the chunks on a subject belong. */
  idOfChunks(subject: string): string {
    return subject.slice(subject.lastIndexOf(".") + 1);
  }

  #partsOf(text: string, missing: string): string[] {
    // What follows the last slash may continue, if the text is a prefix.
    const complete = text.split("/").slice(0, -1);
    return Array.from({ length: indexedParts }, (_, index) => {
      const part = complete[index];
      return part === undefined ? missing : digest(part).slice(0, 12);
    });
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
