import { readFileSync, statSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import { z } from "zod";
import { hasExpired, StoredToken, type TokenStore } from "../token-store.ts";
import { rewriteLocked } from "./rewrite-locked.ts";

/**
 * The issued access tokens, in a file. Every call reads the file again, so that a token that another process adds or removes
 * takes effect immediately.
 */
export class FileTokenStore implements TokenStore {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async add(token: StoredToken): Promise<void> {
    this.#update((stored) => [...stored.filter((one) => !hasExpired(one)), token]);
  }

  async remove(label: string): Promise<number> {
    let removedCount = 0;
    this.#update((stored) => {
      const remaining = stored.filter((token) => token.label !== label);
      removedCount = stored.length - remaining.length;
      return remaining;
    });
    return removedCount;
  }

  list(): readonly StoredToken[] {
    try {
      return z.array(StoredToken).parse(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      const advice = "Move it away to revoke all tokens, or restore it from a backup.";
      throw new FairleadError("corrupt", `${this.#file} cannot be read. ${advice}`, { cause: error });
    }
  }

  version(): string {
    const stats = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.ino} ${stats.size} ${stats.ctimeNs}` : "";
  }

  #update(change: (stored: readonly StoredToken[]) => readonly StoredToken[]): void {
    rewriteLocked(this.#file, () => `${JSON.stringify(change(this.list()), null, 2)}\n`);
  }
}
