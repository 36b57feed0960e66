import { join } from "node:path";
import { type Disk, realDisk } from "./disk.ts";
import { diskTrouble } from "./disk-trouble.ts";
import { FrameRefused } from "./frame-refused.ts";
import { Reserve } from "./reserve.ts";
import { spoolFolder } from "./session-folder.ts";
import { type Entry, SpoolWriter } from "./spool-writer.ts";

const defaultSpoolBytes = 1024 ** 3;
const defaultSegmentBytes = 64 * 1024 ** 2;
/** What frames, and the last words of a process, may take beyond the cap. */
const beyondCap = 16 * 1024 ** 2;
const tryAgainAfter = 200;

export interface PatientSpoolOptions {
  readonly segmentBytes?: number;
  /** How much may lie untrimmed before no more output is taken; 1 GiB unless told. */
  readonly spoolBytes?: number;
  readonly disk?: Disk;
  /** Called after each record, with its sequence. */
  readonly appended?: (seq: number) => void;
}

interface Waiting {
  readonly entry: Entry;
  readonly written: () => void;
}

/** A spool that may be full. What was heard waits until it can be written; what is asked is refused meanwhile. */
export class PatientSpool implements Disposable {
  readonly #writer: SpoolWriter;
  readonly #reserve: Reserve;
  readonly #cap: number;
  readonly #appended: (seq: number) => void;
  readonly #ending = new Set<number>();
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string, options: PatientSpoolOptions) {
    const { disk = realDisk, spoolBytes = defaultSpoolBytes, segmentBytes = defaultSegmentBytes } = options;
    this.#cap = spoolBytes;
    this.#appended = options.appended ?? (() => {});
    this.#reserve = new Reserve(disk, join(folder, "reserve"));
    // Only whole segments are trimmed, so there must be several before the cap is reached.
    this.#writer = new SpoolWriter(spoolFolder(folder), { disk, segmentBytes: Math.min(segmentBytes, spoolBytes / 4) });
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

  /** Writes what a frame asks for, now, or refuses it. One that is `vital` may use the reserve. */
  record(entry: Entry, isVital = false): number {
    if (this.#writer.bytes + entry.bytes.length > this.#cap + beyondCap) {
      throw new FrameRefused(entry.id, "The spool is full.", true);
    }
    return this.#orRefuse(entry.id, () => this.#append(entry, isVital));
  }

  /** Writes what was heard: now, or as soon as there is room for it. In order, for each process. Never rejects. */
  hear(entry: Entry): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#write(entry)) return undefined;
    return new Promise((written) => {
      this.#waiting.push({ entry, written });
      this.#flush();
    });
  }

  /** From now on a process says only its last words, which are few: they need not keep to the cap. */
  ending(process: number): void {
    this.#ending.add(process);
    this.#flush();
  }

  /** Makes all that is written hold against a loss of power; false if the disk does not. */
  sync(): boolean {
    try {
      this.#writer.sync();
      return true;
    } catch (error) {
      if (diskTrouble(error) === undefined) throw error;
      return false;
    }
  }

  /** Sets something aside for hard times. */
  prepare(): void {
    this.#reserve.fill();
  }

  trim(id: string, upTo: number): void {
    this.#orRefuse(id, () => {
      this.#withReserve(() => this.#writer.trim(upTo));
      if (this.#writer.bytes >= this.#cap && upTo >= this.lastSeq) {
        // All of it may go, but the newest segment never does: so it must no longer be the newest.
        this.#writer.roll();
        this.#withReserve(() => this.#writer.trim(upTo));
      }
    });
    this.#flush();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#reserve.release();
    this.#writer[Symbol.dispose]();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    const stuck = new Set<number>();
    this.#waiting = this.#waiting.filter(({ entry, written }) => {
      if (!stuck.has(entry.process) && this.#write(entry)) {
        written();
        return false;
      }
      stuck.add(entry.process);
      return true;
    });
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#flush(), tryAgainAfter);
  }

  /** False when it has to wait. What no waiting can help is for whoever looks after the whole process. */
  #write(entry: Entry): boolean {
    const isLast = entry.kind === "exit";
    const limit = isLast ? Infinity : this.#cap + (this.#ending.has(entry.process) ? beyondCap : 0);
    if (this.#writer.bytes >= limit) return false;
    try {
      this.#append(entry, isLast);
    } catch (error) {
      if (diskTrouble(error) === undefined) queueMicrotask(() => throwAgain(error));
      return false;
    }
    if (isLast) this.#seal(entry.process);
    return true;
  }

  /** What could not be synced stands in the spool all the same, and would be there twice if it were tried again. */
  #seal(process: number): void {
    this.#ending.delete(process);
    this.sync();
  }

  #append(entry: Entry, isVital: boolean): number {
    const append = (): number => this.#writer.append(entry).seq;
    const seq = isVital ? this.#withReserve(append) : append();
    this.#appended(seq);
    return seq;
  }

  /** Does something, if need be with what was set aside. */
  #withReserve<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (diskTrouble(error) === undefined || !this.#reserve.release()) throw error;
      return act();
    }
  }

  #orRefuse<T>(id: string, act: () => T): T {
    try {
      return act();
    } catch (error) {
      const trouble = diskTrouble(error);
      throw trouble === undefined ? error : new FrameRefused(id, trouble, true);
    }
  }
}

function throwAgain(error: unknown): never {
  throw error;
}
