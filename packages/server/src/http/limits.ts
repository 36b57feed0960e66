/** How much one caller may cost. */
export interface Limits {
  /** Of a request's body, in bytes. */
  readonly body: number;
  readonly connections: number;
  /** What may lie unsent for one reader, in bytes, before reading on for it waits. */
  readonly unsent: number;
  /** How long a reader may leave it lying, in milliseconds. */
  readonly stall: number;
  /** How often a quiet reader is asked whether it is still there, in milliseconds. */
  readonly ping: number;
  /** Of a page of events, in bytes; one event is always given. */
  readonly page: number;
  /** How many may have a workspace compared at once, and how many more may wait for it; each starts programs. */
  readonly diffs: { readonly atOnce: number; readonly waiting: number };
}

export const usualLimits: Limits = {
  body: 1 << 20,
  connections: 256,
  // It costs four times that in memory, and each of many readers that stall has it; the kernel holds as much again.
  unsent: 64 << 10,
  stall: 30_000,
  ping: 15_000,
  page: 4 << 20,
  diffs: { atOnce: 2, waiting: 16 },
};
