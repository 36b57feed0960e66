import { join } from "node:path";
import { type Disk, realDisk } from "./disk.ts";
import { type KeeperClock, systemClock } from "../keeper-clock.ts";
import { RequestRejected } from "../protocol/request-rejected.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { spoolFolder } from "../session-folder.ts";
import { type SpoolEntry, SpoolWriter } from "./spool-writer.ts";

const defaultSpoolBytes = 1024 ** 3;
const defaultSegmentBytes = 64 * 1024 ** 2;
/** What requests, and the remaining output of an exited process, may use beyond the cap. */
const overCapBytes = 16 * 1024 ** 2;
const retryDelayMs = 200;

/** Disk errors that may be temporary. */
const diskErrorMessages: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "The disk is full."],
  ["EDQUOT", "The disk is full."],
  ["EIO", "The disk cannot be written."],
]);

export interface BufferedSpoolOptions {
  readonly segmentBytes?: number;
  /** The cap: with this many untrimmed bytes the spool accepts no more output. Default: 1 GiB. */
  readonly spoolBytes?: number;
  readonly disk?: Disk;
  readonly clock?: KeeperClock;
  /** Called after each record, with its sequence. */
  readonly onAppend?: (seq: number) => void;
}

interface PendingEntry {
  readonly entry: SpoolEntry;
  readonly onWritten: () => void;
}

/** A spool whose disk may be full. Output is queued until it can be written. Requests are rejected in the meantime. */
export class BufferedSpool implements Disposable {
  readonly #writer: SpoolWriter;
  readonly #reserve: DiskReserve;
  readonly #cap: number;
  readonly #onAppend: (seq: number) => void;
  readonly #exiting = new Set<number>();
  readonly #clock: KeeperClock;
  #pending: PendingEntry[] = [];
  #timer: Disposable | undefined;

  constructor(folder: string, options: BufferedSpoolOptions) {
    const { disk = realDisk, clock = systemClock, spoolBytes = defaultSpoolBytes } = options;
    const { segmentBytes = defaultSegmentBytes } = options;
    this.#clock = clock;
    this.#cap = spoolBytes;
    this.#onAppend = options.onAppend ?? (() => {});
    this.#reserve = new DiskReserve(disk, join(folder, "reserve"));
    // Only whole segments can be trimmed, so the cap must be several segments.
    const writerOptions = { disk, clock, segmentBytes: Math.min(segmentBytes, spoolBytes / 4) };
    this.#writer = new SpoolWriter(spoolFolder(folder), writerOptions);
  }

  get lastSeq(): number {
    return this.#writer.lastSeq;
  }

  get lastProcess(): number {
    return this.#writer.lastProcess;
  }

  seqOf(id: string): number | undefined {
    return this.#writer.seqOf(id);
  }

  /** Writes the entry of a request, or throws `RequestRejected`. A vital entry may use the disk reserve. */
  appendOrReject(entry: SpoolEntry, isVital = false): number {
    if (this.#writer.bytes + entry.bytes.length > this.#cap + overCapBytes) {
      throw new RequestRejected(entry.id, "The spool is full.", true);
    }
    return this.#orReject(entry.id, () => this.#append(entry, isVital));
  }

  /**
   * Writes output now, or queues it and returns a promise that resolves when it is written. Keeps the order for each
   * process. The promise never rejects.
   */
  appendOrQueue(entry: SpoolEntry): Promise<void> | undefined {
    if (this.#pending.length === 0 && this.#write(entry)) return undefined;
    return new Promise((onWritten) => {
      this.#pending.push({ entry, onWritten });
      this.#flush();
    });
  }

  /** Marks a process as exited. Its remaining output is small, so it may exceed the cap. */
  markExiting(process: number): void {
    this.#exiting.add(process);
    this.#flush();
  }

  /** Syncs all written records to disk. Returns false if the disk fails. */
  sync(): boolean {
    try {
      this.#writer.sync();
      return true;
    } catch (error) {
      if (describeDiskError(error) === undefined) throw error;
      return false;
    }
  }

  /** Fills the disk reserve, which vital records use when the disk is full. */
  fillReserve(): void {
    this.#reserve.fill();
  }

  trim(id: string, upTo: number): void {
    this.#orReject(id, () => {
      this.#withReserve(() => this.#writer.trim(upTo));
      if (this.#writer.bytes >= this.#cap && upTo >= this.lastSeq) {
        // Everything may be trimmed, but the newest segment never is. So a new segment must start first.
        this.#writer.roll();
        this.#withReserve(() => this.#writer.trim(upTo));
      }
    });
    this.#flush();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#reserve.release();
    this.#writer[Symbol.dispose]();
  }

  #flush(): void {
    this.#timer?.[Symbol.dispose]();
    const blockedProcesses = new Set<number>();
    this.#pending = this.#pending.filter(({ entry, onWritten }) => {
      if (!blockedProcesses.has(entry.process) && this.#write(entry)) {
        onWritten();
        return false;
      }
      blockedProcesses.add(entry.process);
      return true;
    });
    if (this.#pending.length > 0) this.#timer = this.#clock.after(retryDelayMs, () => this.#flush());
  }

  /**
   * Returns false if the entry must wait. An error that waiting cannot fix becomes an uncaught exception of the
   * process.
   */
  #write(entry: SpoolEntry): boolean {
    const isLast = entry.kind === "exit";
    const limit = isLast ? Infinity : this.#cap + (this.#exiting.has(entry.process) ? overCapBytes : 0);
    if (this.#writer.bytes >= limit) return false;
    try {
      // A signal without a request is the keeper's own, and its exit must not come without it.
      this.#append(entry, isLast || entry.kind === "signal");
    } catch (error) {
      if (describeDiskError(error) === undefined) queueMicrotask(() => rethrow(error));
      return false;
    }
    if (isLast) this.#syncAfterExit(entry.process);
    return true;
  }

  /** Ignores a failed sync: the exit is already in the spool, and writing it again would duplicate it. */
  #syncAfterExit(process: number): void {
    this.#exiting.delete(process);
    this.sync();
  }

  #append(entry: SpoolEntry, isVital: boolean): number {
    const append = (): number => this.#writer.append(entry).seq;
    const seq = isVital ? this.#withReserve(append) : append();
    this.#onAppend(seq);
    return seq;
  }

  /** Runs an action. If the disk fails, releases the reserve and runs it once more. */
  #withReserve<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (describeDiskError(error) === undefined || !this.#reserve.release()) throw error;
      return action();
    }
  }

  #orReject<T>(id: string, action: () => T): T {
    try {
      return action();
    } catch (error) {
      const diskError = describeDiskError(error);
      throw diskError === undefined ? error : new RequestRejected(id, diskError, true);
    }
  }
}

/** Describes a disk error that may be temporary. Returns undefined for any other error. */
function describeDiskError(error: unknown): string | undefined {
  return diskErrorMessages.get((error as NodeJS.ErrnoException | undefined)?.code ?? "");
}

function rethrow(error: unknown): never {
  throw error;
}
