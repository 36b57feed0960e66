import type { NameHolder } from "@fairlead/journal";
import { z } from "zod";
import { encodeSessionToken } from "../log/session-token.ts";
import type { RevisedBucket } from "./revised-bucket.ts";

const StoredHolder = z.object({ session: z.string(), owner: z.string() });

/** The names of sessions, taken and released by compare-and-set. */
export class NameHolders {
  readonly #bucket: RevisedBucket;
  /** The names that this process has taken, by session. */
  readonly #taken = new Map<string, Set<string>>();

  constructor(bucket: RevisedBucket) {
    this.#bucket = bucket;
  }

  async take(name: string, holder: NameHolder, replaces?: string): Promise<NameHolder> {
    let current: NameHolder = holder;
    const { session, owner } = holder;
    await this.#bucket.update(keyOf(name), {
      decode: decodeHolder,
      change: ({ value }) => {
        const isOther = value !== undefined && value.session !== session && value.session !== replaces;
        current = isOther ? value : holder;
        return isOther ? undefined : Buffer.from(JSON.stringify({ session, owner }));
      },
      guess: { revision: 0, value: undefined },
    });
    if (current.session === session) {
      const names = this.#taken.get(session) ?? new Set();
      this.#taken.set(session, names.add(name));
    }
    return current;
  }

  async release(name: string, session: string): Promise<void> {
    await this.#bucket.update(keyOf(name), {
      decode: decodeHolder,
      change: ({ value }) => (value?.session === session ? null : undefined),
    });
    const names = this.#taken.get(session);
    names?.delete(name);
    if (names?.size === 0) this.#taken.delete(session);
  }

  /** Releases the names of a session: that of its row, and those that this process took for it. */
  async releaseAll(session: string, name: string | null): Promise<void> {
    const names = new Set(this.#taken.get(session));
    if (name !== null) names.add(name);
    for (const one of names) await this.release(one, session);
  }
}

function keyOf(name: string): string {
  return `name.${encodeSessionToken(name)}`;
}

/** A value that cannot be read has no holder: the name can be taken again. */
function decodeHolder(data: Uint8Array): NameHolder | undefined {
  try {
    return StoredHolder.safeParse(JSON.parse(Buffer.from(data).toString())).data;
  } catch {
    return undefined;
  }
}
