/**
 * Stores whole objects by key, for example the files in which an agent keeps its memory of a conversation.
 *
 * A key is text of 1 to 1,000 characters, without U+0000 and unpaired surrogates; others throw `invalid-request`. Keys have
 * no structure: `../x` and `a//b` are names like others, and keys that differ in case or in the form of an accent differ.
 * Methods throw `unavailable` when the storage cannot be reached or is full.
 */
export interface ObjectStore {
  /**
   * Stores an object, and replaces the one with the same key. It is durable when the promise resolves. Objects of 32 MiB are
   * accepted; an engine may throw `too-large` for larger ones. The caller must not change the bytes before that.
   */
  put(key: string, bytes: Uint8Array): Promise<void>;

  /**
   * Returns an object as it was stored, never a part of it or a mix of two; undefined if there is none. Throws `corrupt` if
   * the stored object is damaged. The bytes belong to the caller.
   */
  get(key: string): Promise<Uint8Array | undefined>;

  /**
   * Lists the keys that begin with a prefix, in the order of their UTF-8 bytes. Yields each key that exists during the whole
   * iteration once. The key of a damaged object may be missing.
   */
  list(prefix: string): AsyncIterable<string>;

  /** Removes an object. Does nothing if there is none. */
  remove(key: string): Promise<void>;
}
