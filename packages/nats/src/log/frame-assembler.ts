import { FairleadError } from "@fairlead/contract";
import type { EventBatch } from "@fairlead/journal";
import { areLinksEqual, chainStart, decodeFrame, type DecodedFrame, type FrameLink } from "./frame.ts";
import { decodeFrameData } from "./frame-data.ts";
import type { StoredMessage } from "./stored-message.ts";

/** Where an assembler starts. */
export interface AssemblerStart {
  /** The stream sequence of the first message. */
  readonly sequence: number;
  /** If the start is in the middle of the chain: the sequence of the last event that the reader does not need. */
  readonly after?: number;
  /** Whether the reader needs the events, and not only the notes. Default: yes. */
  readonly needsEvents?: boolean;
}

interface PendingParts {
  readonly link: FrameLink;
  readonly index: number;
  readonly data: readonly Uint8Array[];
}

/**
 * Turns the messages of a session, in the order of the stream, into batches. It skips the parts of batches that their
 * writer did not complete, and throws `corrupt` when the chain of checksums breaks.
 */
export class FrameAssembler {
  readonly #session: string;
  /** The last complete frame; undefined when reading starts in the middle and none was read. */
  #base: FrameLink | undefined;
  /** The sequence of the last event; undefined like the base. */
  #last: number | undefined;
  #parts: PendingParts | undefined;
  #sequence: number;
  readonly #after: number;
  readonly #needsEvents: boolean;
  #restarts = 0;

  /** Starts at the beginning of a chain, or, if `after` is given, in the middle: the next message may be any frame. */
  constructor(session: string, { sequence, after, needsEvents }: AssemblerStart = { sequence: 1 }) {
    this.#session = session;
    this.#sequence = Math.max(0, sequence - 1);
    this.#after = after ?? 0;
    this.#needsEvents = needsEvents ?? true;
    if (after !== undefined) return;
    this.#base = chainStart;
    this.#last = 0;
  }

  /** The stream sequence of the last message. */
  get sequence(): number {
    return this.#sequence;
  }

  /** How many times the chain has ended and another one has begun: the session was forgotten and claimed again. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Takes the sequence of the session's first message, as the leader has named it. If that is after all messages that were
   * read, their history was removed. A replica that lags behind may still have the rest of it, which is not read.
   */
  startAt(first: number): void {
    if (first > this.#sequence && !this.#isExpectedStart(first)) this.#restart(first - 1);
  }

  /** Takes the next message of the session. Returns a batch if it completes one. After an error nothing has changed. */
  push(message: StoredMessage): EventBatch | undefined {
    const frame = decodeFrame(this.#session, message.payload);
    if (frame === undefined) throw this.damage("the stored frame differs from what was written");
    if (frame.kind === "forget") {
      this.#restart(message.sequence);
      return undefined;
    }
    if (this.#base === undefined && this.#parts === undefined && frame.partIndex > 0) {
      this.#skip(frame, message.sequence);
      return undefined;
    }
    this.#assertLinked(frame, message.sequence);
    const link = { sequence: message.sequence, checksum: frame.checksum };
    const data = frame.partIndex === 0 ? [frame.data] : [...(this.#parts?.data ?? []), frame.data];
    if (frame.kind === "part") {
      this.#parts = { link, index: frame.partIndex, data };
      this.#sequence = message.sequence;
      return undefined;
    }
    const batch = this.#toBatch(frame, data);
    this.#parts = undefined;
    this.#base = link;
    this.#last = frame.first + frame.count - 1;
    this.#sequence = message.sequence;
    return batch;
  }

  /** Creates the error for a chain that cannot be read past this position. */
  damage(reason: string): FairleadError {
    const place = this.#last === undefined ? "before its newest events" : `at event ${this.#last + 1}`;
    return new FairleadError("corrupt", `Session ${this.#session} is damaged ${place}: ${reason}.`);
  }

  /** Takes the last part of a batch as the first message: the reader needs the frames that follow it. */
  #skip(frame: DecodedFrame, sequence: number): void {
    const last = frame.first + frame.count - 1;
    if (frame.kind === "part" || last > this.#after) throw this.damage("a part of a batch is missing");
    this.#base = { sequence, checksum: frame.checksum };
    this.#last = last;
    this.#sequence = sequence;
  }

  #assertLinked(frame: DecodedFrame, sequence: number): void {
    if (frame.partIndex > 0) {
      const { link, index } = this.#parts ?? { link: chainStart, index: -1 };
      if (frame.partIndex === index + 1 && areLinksEqual(frame.previousPart, link)) return;
      throw this.damage("a part of a batch is missing");
    }
    // A session that was forgotten and claimed again starts a new chain.
    if (frame.kind === "claim" && frame.base.sequence === 0 && !this.#isAtChainStart) {
      if (this.#isExpectedStart(sequence)) this.#toChainStart();
      else this.#restart(sequence - 1);
    }
    if (this.#base === undefined && frame.first > this.#after + 1) throw this.damage("a batch is missing");
    const isLinked = this.#base === undefined || areLinksEqual(frame.base, this.#base);
    if (!isLinked || (this.#last !== undefined && frame.first !== this.#last + 1)) {
      throw this.damage("a batch is missing");
    }
  }

  #toBatch(frame: DecodedFrame, data: readonly Uint8Array[]): EventBatch {
    const { epoch, first, count, noteCount, owner, isCompressed } = frame;
    if (noteCount === 0 && !this.#needsEvents) return { session: this.#session, epoch, first, events: [], owner };
    const joined = data.length === 1 ? frame.data : Buffer.concat(data);
    const items = decodeFrameData({ data: joined, isCompressed }, count + noteCount);
    if (items === undefined) throw this.damage("the stored events differ from what was written");
    const batch = { session: this.#session, epoch, first, events: items.slice(0, count), owner };
    return noteCount === 0 ? batch : { ...batch, notes: items.slice(count) };
  }

  get #isAtChainStart(): boolean {
    return this.#base !== undefined && areLinksEqual(this.#base, chainStart);
  }

  /** Whether nothing was read yet, and the first message of the session is the one at which reading starts. */
  #isExpectedStart(first: number): boolean {
    return this.#base === undefined && this.#parts === undefined && first === this.#sequence + 1;
  }

  #restart(sequence: number): void {
    if (!this.#isAtChainStart) this.#restarts++;
    this.#toChainStart();
    this.#sequence = sequence;
  }

  #toChainStart(): void {
    this.#base = chainStart;
    this.#last = 0;
    this.#parts = undefined;
  }
}
