import { maxBodyBytes } from "@fairlead/api";

/** The resources that one caller may use. */
export interface Limits {
  /** Size of a request body, in bytes. */
  readonly body: number;
  /** Connections to one listener. */
  readonly connections: number;
  /** Connections of these that have not sent an authorized request. Above this, the oldest one is closed. */
  readonly unauthorizedConnections: number;
  /** Unsent bytes per reader above which the server reads no more events for that reader. */
  readonly unsent: number;
  /** How long a reader may leave sent data unread, in milliseconds. */
  readonly stall: number;
  /** The interval of pings to a reader, in milliseconds. */
  readonly ping: number;
  /** Size of a page of events, in bytes. A page contains at least one event, however large. */
  readonly page: number;
  /** Concurrent and queued diffs. Each diff starts processes. */
  readonly diffs: { readonly maxConcurrent: number; readonly maxQueued: number };
}

export const defaultLimits: Limits = {
  body: maxBodyBytes,
  connections: 256,
  unauthorizedConnections: 64,
  // Each stalled reader costs four times this in memory, and the kernel buffers the same amount again.
  unsent: 64 << 10,
  stall: 30_000,
  ping: 15_000,
  page: 4 << 20,
  diffs: { maxConcurrent: 2, maxQueued: 16 },
};
