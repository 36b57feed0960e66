/** What the log of one session, or of several, has wrong. */
export interface LogFaults {
  /** Acknowledged events that the log does not have. */
  readonly lost: number;
  /** Events that the log has more than once. */
  readonly doubled: number;
  /** Events that come before an event that was sent earlier. */
  readonly reordered: number;
  /** Events that the log has although their append was never acknowledged, nor found by a writer. */
  readonly unknown: number;
  /** Batches that do not begin with the next sequence. */
  readonly numberingBreaks: number;
  /** Batches whose epoch is lower than the one before. */
  readonly epochDecreases: number;
}

export const noFaults: LogFaults = {
  lost: 0,
  doubled: 0,
  reordered: 0,
  unknown: 0,
  numberingBreaks: 0,
  epochDecreases: 0,
};

export interface CheckedBatch {
  readonly epoch: number;
  readonly first: number;
  readonly events: readonly Uint8Array[];
}

/** Checks the log of one session against what its writer was told. The writer numbers its events from 1. */
export class LogChecker {
  readonly #session: string;
  readonly #seen = new Set<number>();
  #newest = 0;
  #nextSequence = 1;
  #epoch = 0;
  #doubled = 0;
  #reordered = 0;
  #numberingBreaks = 0;
  #epochDecreases = 0;

  constructor(session: string) {
    this.#session = session;
  }

  add({ epoch, first, events }: CheckedBatch): void {
    if (first !== this.#nextSequence) this.#numberingBreaks++;
    this.#nextSequence = first + events.length;
    if (epoch < this.#epoch) this.#epochDecreases++;
    this.#epoch = epoch;
    for (const event of events) this.#addEvent(readEvent(this.#session, event));
  }

  /** Returns the faults, if the writer knows of its first `acknowledged` events that they are stored, and of no other. */
  finish(acknowledged: number): LogFaults {
    const stored = [...this.#seen].filter((number) => number <= acknowledged).length;
    return {
      lost: acknowledged - stored,
      doubled: this.#doubled,
      reordered: this.#reordered,
      unknown: this.#seen.size - stored,
      numberingBreaks: this.#numberingBreaks,
      epochDecreases: this.#epochDecreases,
    };
  }

  #addEvent(number: number): void {
    if (this.#seen.has(number)) this.#doubled++;
    else if (number < this.#newest) this.#reordered++;
    this.#seen.add(number);
    this.#newest = Math.max(this.#newest, number);
  }
}

export function addFaults(one: LogFaults, other: LogFaults): LogFaults {
  const keys = Object.keys(noFaults) as (keyof LogFaults)[];
  return Object.fromEntries(keys.map((key) => [key, one[key] + other[key]])) as unknown as LogFaults;
}

export function hasFaults(faults: LogFaults): boolean {
  return Object.values(faults).some((count) => count > 0);
}

const filler = " The agent read the file and changed two lines of it.";

/** Writes the event with a number, as the writer of a session sends it. */
export function writeEvent(session: string, number: number): Uint8Array {
  return Buffer.from(`${session} ${number}${filler}`);
}

function readEvent(session: string, event: Uint8Array): number {
  const [name, number = ""] = Buffer.from(event).toString().split(" ", 2);
  if (name !== session) throw new Error(`The log of ${session} has an event of ${name}.`);
  return Number(number);
}
