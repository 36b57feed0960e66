import { mayReplaceRow, type SessionRow } from "@fairlead/journal";
import { SessionQueue } from "../log/session-queue.ts";
import { encodeSessionToken } from "../log/session-token.ts";
import { decodeRow, encodeRow, type PackedRow } from "./row-value.ts";
import type { RevisedBucket, RevisedValue } from "./revised-bucket.ts";
import type { SessionCopy } from "./session-copy.ts";

/** What a compare-and-set of a row needs of the existing one. */
export interface StoredRow {
  /** Undefined for a row of another version, which the index does not have. */
  readonly row: Pick<PackedRow, "epoch" | "last" | "name"> | undefined;
}

export interface SessionPutsOptions {
  readonly bucket: RevisedBucket;
  readonly contentVersion: number;
  readonly copy: () => SessionCopy | undefined;
  /** Called before a row of another version is replaced. */
  readonly replaceVersion: () => Promise<void>;
}

interface RowGroup {
  readonly rows: SessionRow[];
  results?: Promise<boolean[]>;
}

// A process that rebuilds an index writes many rows once, and an owner writes its few rows again and again.
const maxRemembered = 10_000;

/** Writes and removes rows. The writes of one session follow each other; rows that wait meanwhile are written as one. */
export class SessionPuts {
  readonly #options: SessionPutsOptions;
  readonly #queue = new SessionQueue();
  readonly #waiting = new Map<string, RowGroup>();
  /** What this process has last seen of rows, so that its next write needs no read. */
  readonly #remembered = new Map<string, RevisedValue<StoredRow>>();

  constructor(options: SessionPutsOptions) {
    this.#options = options;
  }

  async put(row: SessionRow): Promise<boolean> {
    const { session } = row;
    const group = this.#waiting.get(session) ?? this.#openGroup(session);
    const index = group.rows.push(row) - 1;
    group.results ??= this.#queue.run(session, () => {
      if (this.#waiting.get(session) === group) this.#waiting.delete(session);
      return this.#write(session, group.rows);
    });
    return (await group.results)[index] ?? false;
  }

  /** Removes a row. Returns the name that it had. */
  async remove(session: string): Promise<string | null> {
    // A row that is put after this call is not written with those before it.
    this.#waiting.delete(session);
    return await this.#queue.run(session, async () => {
      let name: string | null = null;
      const { revision } = await this.#options.bucket.update<StoredRow>(encodeSessionToken(session), {
        decode: (data) => this.#decode(session, data),
        change: ({ value }) => {
          name = value?.row?.name ?? name;
          return value === undefined ? undefined : null;
        },
      });
      this.#remembered.delete(session);
      this.#options.copy()?.applyOwn(session, revision, undefined);
      return name;
    });
  }

  /** Remembers a row that was read. */
  remember(session: string, { revision, value }: RevisedValue<StoredRow>): void {
    this.#remembered.delete(session);
    // Not the whole row: its content would stay in memory.
    const { epoch = 0, last = 0, name = null } = value?.row ?? {};
    this.#remembered.set(session, { revision, value: value && { row: value.row && { epoch, last, name } } });
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }

  async whenIdle(): Promise<void> {
    await this.#queue.whenIdle();
  }

  #openGroup(session: string): RowGroup {
    const group: RowGroup = { rows: [] };
    this.#waiting.set(session, group);
    return group;
  }

  /** Writes rows as if one after the other. Returns for each whether it replaced the one before. */
  async #write(session: string, rows: readonly SessionRow[]): Promise<boolean[]> {
    const { bucket, contentVersion, replaceVersion } = this.#options;
    let results: boolean[] = [];
    let newest: SessionRow | undefined;
    let data: Uint8Array | undefined;
    const { revision, isChanged } = await bucket.update<StoredRow>(encodeSessionToken(session), {
      decode: (stored) => this.#decode(session, stored),
      guess: this.#guess(session),
      change: async ({ value }) => {
        let current: Pick<SessionRow, "epoch" | "last"> | undefined = value?.row;
        let written: SessionRow | undefined;
        results = rows.map((row) => {
          const isWritten = current === undefined || mayReplaceRow(current, row);
          if (isWritten) current = written = row;
          return isWritten;
        });
        if (written === undefined) return undefined;
        if (value !== undefined && value.row === undefined) await replaceVersion();
        if (written !== newest) data = encodeRow(written, contentVersion);
        newest = written;
        return data;
      },
    });
    if (isChanged && newest !== undefined) {
      this.remember(session, { revision, value: { row: newest } });
      this.#options.copy()?.applyOwn(session, revision, data);
    }
    return results;
  }

  /** What the bucket probably has: nothing, if this process has not read or written the session. */
  #guess(session: string): RevisedValue<StoredRow> {
    const remembered = this.#remembered.get(session);
    const copy = this.#options.copy();
    const copied = copy?.revisionOf(session);
    if (copied === undefined || (remembered !== undefined && remembered.revision >= copied)) {
      return remembered ?? { revision: 0, value: undefined };
    }
    const row = copy?.get(session);
    return { revision: copied, value: row && { row } };
  }

  #decode(session: string, data: Uint8Array): StoredRow {
    return { row: decodeRow(session, data, this.#options.contentVersion) };
  }
}
