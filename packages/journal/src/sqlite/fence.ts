import type { Fence } from "../event-log.ts";

const checksumBits = 32n;

/**
 * Combines the id of a session's newest batch with its checksum. If damage removes the newest batches and others reuse
 * their ids, a fence from the lost history still matches none of them.
 */
export function toFence(id: number, checksum: number): Fence {
  return (BigInt(id) << checksumBits) | BigInt(checksum);
}

/** Returns the checksum of the batch that a fence identifies; 0 for an unclaimed session. */
export function extractChecksum(fence: Fence): number {
  return Number(BigInt.asUintN(Number(checksumBits), fence));
}

/** Returns the id of the batch that a fence identifies. */
export function extractBatchId(fence: Fence): number {
  return Number(fence >> checksumBits);
}
