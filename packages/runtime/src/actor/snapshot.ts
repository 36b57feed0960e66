import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import type { Adapter } from "@fairlead/contract";
import { SpoolReader } from "@fairlead/keeper";
import type { SessionState, PendingEffect } from "@fairlead/reducer";
import type { Alarm } from "./alarms.ts";
import type { OpenApproval } from "./open-approvals.ts";
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
  /** Open approvals. Snapshots of older versions have their decisions only. */
  readonly approvals: readonly (OpenApproval | string)[];
  /** Rejected commands. Absent in snapshots of older versions, which did not store them. */
  readonly rejections?: readonly CommandRejection[];
}

/** Stores the snapshot of one session. */
export interface SnapshotStore {
  load(): Snapshot | null;
  /** The snapshot is durable, and was read back, when this returns. Throws if it was not stored. */
  save(snapshot: Snapshot): void;
}

/** Writes a part of the bytes to a file, and returns how many it wrote: fewer than given on a nearly full disk. */
export type WriteBytes = (fd: number, bytes: Uint8Array, offset: number) => number;

/** Stores the snapshot in a file. The file is replaced as a whole, and ignored if its checksum is wrong. */
export class SnapshotFile implements SnapshotStore {
  readonly #file: string;
  readonly #write: WriteBytes;

  constructor(file: string, write: WriteBytes = writeSync) {
    this.#file = file;
    this.#write = write;
  }

  load(): Snapshot | null {
    try {
      const body = readVerifiedBody(this.#file);
      return body === null ? null : (JSON.parse(body.toString("utf8")) as Snapshot);
    } catch {
      return null; // Missing or damaged. The spool has the records, unless it was trimmed: then reading it throws.
    }
  }

  /**
   * Writes another file, reads it back and then replaces the old one: the keeper removes the records before a snapshot
   * that was saved, so one that is not whole would lose the session.
   */
  save(snapshot: Snapshot): void {
    const newFile = `${this.#file}.new`;
    const body = Buffer.from(JSON.stringify(snapshot));
    try {
      this.#writeAndSync(newFile, [Buffer.from(`${crc32(body)}\n`), body]);
      if (readVerifiedBody(newFile)?.length !== body.length) throw new SnapshotNotStored();
    } catch (error) {
      rmSync(newFile, { force: true }); // its space may be what the disk lacks
      throw error;
    }
    renameSync(newFile, this.#file);
    syncFolder(dirname(this.#file));
  }

  #writeAndSync(file: string, parts: readonly Uint8Array[]): void {
    const fd = openSync(file, "w", 0o600);
    try {
      for (const bytes of parts) {
        for (let offset = 0; offset < bytes.length;) {
          const written = this.#write(fd, bytes, offset);
          if (written === 0) throw new SnapshotNotStored();
          offset += written;
        }
      }
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }
}

/** The disk reported a write as successful, but the file does not have its bytes. Another attempt may succeed. */
export class SnapshotNotStored extends Error {
  readonly code = "EIO";

  constructor() {
    super("EIO: the disk did not store the whole snapshot.");
    this.name = "SnapshotNotStored";
  }
}

/** Returns the content after the checksum, or null if the checksum is wrong. Throws if the file cannot be read. */
function readVerifiedBody(file: string): Buffer | null {
  const bytes = readFileSync(file);
  const end = bytes.indexOf(10);
  const body = bytes.subarray(end + 1);
  return end > 0 && Number(bytes.toString("latin1", 0, end)) === crc32(body) ? body : null;
}

/** Makes a rename in the folder durable. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
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
