/** What mutated recordings did to the reducer. */
export interface FuzzReport {
  readonly recordings: number;
  readonly records: number;
  /** Exceptions that left the reducer, which would end the session's actor. */
  readonly exceptions: number;
  /** Exceptions of adapters that the reducer caught and recorded. */
  readonly fenced: number;
  readonly events: number;
  /** Events that would be written to the journal and break their schema. */
  readonly invalidEvents: number;
  /** Events of adapters that break their schema. The reducer recorded them as `unrecognized`. */
  readonly caughtEvents: number;
  /** Effects that the keeper could not execute, and deltas that are not text. */
  readonly invalidEffects: number;
  /** States that a snapshot would change. */
  readonly invalidStates: number;
  /** The longest time of one record, in milliseconds. */
  readonly slowest: number;
}

export const emptyFuzzReport: FuzzReport = {
  recordings: 0,
  records: 0,
  exceptions: 0,
  fenced: 0,
  events: 0,
  invalidEvents: 0,
  caughtEvents: 0,
  invalidEffects: 0,
  invalidStates: 0,
  slowest: 0,
};

export function addFuzzReports(one: FuzzReport, other: FuzzReport): FuzzReport {
  const keys = Object.keys(emptyFuzzReport) as (keyof FuzzReport)[];
  const sums = Object.fromEntries(keys.map((key) => [key, one[key] + other[key]])) as unknown as FuzzReport;
  return { ...sums, slowest: Math.max(one.slowest, other.slowest) };
}
