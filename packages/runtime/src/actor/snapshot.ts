import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { Adapter } from "@fairlead/contract";
import { SpoolReader } from "@fairlead/keeper";
import type { SessionState, PendingEffect } from "@fairlead/reducer";
import type { Alarm } from "./alarms.ts";
import type { CommandRejection } from "./pending-notes.ts";

/** The whole state of an actor after one record, so that the records before it need not be read again. */
export interface Snapshot {
  /** The last record that the state includes. The journal has all events up to it. */
  readonly upToSeq: number;
  /** Version of the adapter that produced the state. Another version may not understand it. */
  readonly adapterVersion: string;
  readonly state: SessionState;
  readonly pendingEffects: readonly PendingEffect[];
  readonly alarms: readonly Alarm[];
  readonly approvals: readonly string[];
  /** Rejected commands. Absent in snapshots of older versions, which did not store them. */
  readonly rejections?: readonly CommandRejection[];
}

/** Stores the snapshot of one session. */
export interface SnapshotStore {
  load(): Snapshot | null;
  /** The snapshot is durable when this returns. */
  save(snapshot: Snapshot): void;
}

/** Stores the snapshot in a file. The file is replaced as a whole, and ignored if its checksum is wrong. */
export class SnapshotFile implements SnapshotStore {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  load(): Snapshot | null {
    try {
      const text = readFileSync(this.#file, "utf8");
      const end = text.indexOf("\n");
      const body = text.slice(end + 1);
      return Number(text.slice(0, end)) === crc32(body) ? (JSON.parse(body) as Snapshot) : null;
    } catch {
      return null; // Missing or damaged. The spool has the records, unless it was trimmed: then reading it throws.
    }
  }

  save(snapshot: Snapshot): void {
    const body = JSON.stringify(snapshot);
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

/**
 * Loads the snapshot if it is to be used: if this version of the adapter produced it, or if the spool was trimmed, so
 * that the snapshot is the only source. Otherwise returns null, and today's adapter reduces the whole spool.
 */
export function loadSnapshot(store: SnapshotStore, spool: string, { manifest }: Adapter): Snapshot | null {
  const snapshot = store.load();
  if (snapshot === null || snapshot.adapterVersion === manifest.version) return snapshot;
  return new SpoolReader(spool).firstSeq > 1 ? snapshot : null;
}
