import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { FoldState, Order } from "@fairlead/kit";
import type { Alarm } from "./alarms.ts";
import type { Refusal } from "./awaited-notes.ts";

/** Everything that an actor knows after a record, so that the records before it need not be read again. */
export interface KeptFold {
  /** The last record that it takes into account; the journal has all events up to here. */
  readonly after: number;
  /** Whose state it is: another version of the adapter may not understand it. */
  readonly adapterVersion: string;
  readonly state: FoldState;
  readonly orders: readonly Order[];
  readonly alarms: readonly Alarm[];
  readonly approvals: readonly string[];
  /** Wishes that were refused, with why; those who kept folds before did not keep them. */
  readonly refusals?: readonly Refusal[];
}

/** Where an actor keeps its fold. */
export interface FoldShelf {
  load(): KeptFold | null;
  /** Durable when it returns. */
  save(kept: KeptFold): void;
}

/** A file in the session's folder: written whole or not at all, and believed only if its checksum is right. */
export class FoldFile implements FoldShelf {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, "fold.json");
  }

  load(): KeptFold | null {
    try {
      const text = readFileSync(this.#file, "utf8");
      const end = text.indexOf("\n");
      const body = text.slice(end + 1);
      return Number(text.slice(0, end)) === crc32(body) ? (JSON.parse(body) as KeptFold) : null;
    } catch {
      return null; // there is none, or none that can be believed; the spool has everything it was made of
    }
  }

  save(kept: KeptFold): void {
    const body = JSON.stringify(kept);
    const file = openSync(`${this.#file}.new`, "w", 0o600);
    try {
      writeSync(file, `${crc32(body)}\n${body}`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(`${this.#file}.new`, this.#file);
  }
}
