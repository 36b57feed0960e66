import { assertNamespace } from "../log/stream-layout.ts";

/** What the entries of a bucket are. */
export type BucketKind = "hosts" | "tokens";

/** The names of a bucket and of its subjects. They are those of every client of NATS, so that its tools can read a bucket. */
export class BucketName {
  readonly bucket: string;
  readonly #live: string;

  constructor(namespace: string, kind: BucketKind) {
    assertNamespace(namespace);
    this.bucket = `${namespace}_${kind}`;
    this.#live = `${namespace}.${kind}`;
  }

  /** The name of the stream that has the entries. */
  get stream(): string {
    return `KV_${this.bucket}`;
  }

  /** Returns the subject to which a key's entries are written. */
  subjectOf(key: string): string {
    return `$KV.${this.bucket}.${key}`;
  }

  /** Returns the subject on which the servers publish each entry of a key once it is stored. */
  liveSubjectOf(key: string): string {
    return `${this.#live}.${key}`;
  }

  /** Returns the key of a subject to which an entry was written. */
  keyOf(subject: string): string {
    return subject.slice(this.subjectOf("").length);
  }
}
