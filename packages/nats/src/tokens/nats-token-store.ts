import { createHash } from "node:crypto";
import { FairleadError } from "@fairlead/contract";
import { hasExpired, StoredToken, type TokenStore } from "@fairlead/engine";
import { BucketCopy, type BucketCopyOptions } from "../bucket/bucket-copy.ts";
import type { BucketEntry } from "../bucket/bucket-entry.ts";
import { Bucket, type OpenBucketOptions } from "../bucket/bucket.ts";

export interface NatsTokenStoreOptions extends OpenBucketOptions, Pick<BucketCopyOptions, "staleAfter"> {
  /**
   * Whether the copy of the tokens begins at the first use, for a process that may have none: each copy asks the servers twice a
   * second. `list` throws `unavailable` until it is there.
   */
  readonly isLazy?: boolean;
}

/** How many expired tokens one call removes. Each costs a request. */
const maxExpiredPerAdd = 16;

/**
 * The access tokens of a fleet: an entry per token, and a copy of all entries in each process that uses them. A process whose
 * copy may be old refuses every token. One limit remains: a server that was cut off from the others answers as the leader for up
 * to 10 more seconds, and a process that reaches only that server may accept a removed token so long.
 */
export class NatsTokenStore implements TokenStore, Disposable {
  readonly #bucket: Bucket;
  readonly #options: BucketCopyOptions;
  /** Undefined before the first use. */
  #opened: BucketCopy | undefined;
  /** The tokens of the copy, until it changes. */
  #tokens: readonly StoredToken[] | undefined;

  private constructor(bucket: Bucket, { staleAfter }: NatsTokenStoreOptions) {
    this.#bucket = bucket;
    const onChange = (): void => {
      this.#tokens = undefined;
    };
    this.#options = { onChange, ...(staleAfter !== undefined && { staleAfter }) };
  }

  /** Opens the bucket that `createTokensBucket` has created, and reads all tokens, unless it is lazy. */
  static async open(options: NatsTokenStoreOptions): Promise<NatsTokenStore> {
    using opened = new DisposableStack();
    const store = opened.use(new NatsTokenStore(await Bucket.open("tokens", options), options));
    if (options.isLazy !== true) await store.#copy.confirm();
    opened.move();
    return store;
  }

  async add(token: StoredToken): Promise<void> {
    const key = keyOf(token);
    const value = Buffer.from(JSON.stringify(StoredToken.parse(token)));
    let expected = (await this.#bucket.readLast(key))?.revision ?? 0;
    // Without the revision, a write whose answer was late could store the token again after it was removed.
    for (;;) {
      const outcome = await this.#bucket.write({ key, value, expected });
      if (outcome.kind === "written") break;
      expected = outcome.last?.revision ?? 0;
    }
    await this.#copy.confirm();
    await this.#removeExpired(key);
  }

  async remove(label: string): Promise<number> {
    await this.#copy.confirm();
    const prefix = `${hashLabel(label)}.`;
    const entries = [...this.#copy.entries.values()].filter(({ key }) => key.startsWith(prefix));
    const removals = await Promise.all(entries.map((entry) => this.#remove(entry)));
    await this.#copy.confirm();
    return removals.filter(Boolean).length;
  }

  list(): readonly StoredToken[] {
    if (!this.#copy.isCurrent) throw this.#copy.createUnavailableError();
    return (this.#tokens ??= [...this.#copy.entries.values()].map((entry) => this.#parse(entry)));
  }

  /** A copy that is old for too long has another version, so that callers check again what an old token opened. */
  version(): string {
    if (this.#opened === undefined && this.#bucket.connection.isClosed()) return "closed";
    return this.#copy.isStale ? `${this.#copy.version} stale` : this.#copy.version;
  }

  [Symbol.dispose](): void {
    this.#opened?.[Symbol.dispose]();
  }

  get #copy(): BucketCopy {
    if (this.#opened === undefined && this.#bucket.connection.isClosed())
      throw this.#bucket.createUnavailableError("be read");
    return (this.#opened ??= new BucketCopy(this.#bucket, this.#options));
  }

  /**
   * Keeps the token that was just added, as other engines do. Leaves entries that cannot be read to `list`, which says what to
   * do about them.
   */
  async #removeExpired(added: string): Promise<void> {
    const entries = [...this.#copy.entries.values()];
    const expired = entries.filter(({ key, value }) => key !== added && isExpiredToken(value));
    if (expired.length === 0) return;
    await Promise.all(expired.slice(0, maxExpiredPerAdd).map((entry) => this.#remove(entry)));
    await this.#copy.confirm();
  }

  /** Returns whether the entry was removed now. Another process may be removing it too. */
  async #remove({ key, revision }: BucketEntry): Promise<boolean> {
    let expected = revision;
    for (;;) {
      const outcome = await this.#bucket.write({ key, value: null, expected });
      if (outcome.kind === "written") return true;
      if (outcome.last === undefined || outcome.last.value === null) return false;
      expected = outcome.last.revision;
    }
  }

  #parse({ key, value }: BucketEntry): StoredToken {
    try {
      return StoredToken.parse(JSON.parse(Buffer.from(value ?? []).toString("utf8")));
    } catch (cause) {
      const message = `The entry ${key} of the bucket ${this.#bucket.name.bucket} is no access token.`;
      throw new FairleadError("corrupt", `${message} Remove it with a client of NATS.`, { cause });
    }
  }
}

function isExpiredToken(value: Uint8Array | null): boolean {
  const bytes = Buffer.from(value ?? []);
  // Most tokens do not expire. Parsing all of them at each call would cost more than the call.
  if (!bytes.includes("expiresAt")) return false;
  try {
    return hasExpired(StoredToken.parse(JSON.parse(bytes.toString("utf8"))));
  } catch {
    return false;
  }
}

function keyOf({ label, digest }: StoredToken): string {
  return `${hashLabel(label)}.${digest}`;
}

/** A label may have characters that a key may not have. */
function hashLabel(label: string): string {
  return createHash("sha256").update(label).digest("hex").slice(0, 32);
}
