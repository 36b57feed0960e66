import type { Fence } from "../event-log.ts";

const bits = 32n;

/**
 * The id of a session's newest frame, and its checksum: should damage ever cost the newest frames, and others take
 * their ids, then a fence from the lost history still fits none of them.
 */
export function toFence(id: number, checksum: number): Fence {
  return (BigInt(id) << bits) | BigInt(checksum);
}

/** The checksum of the frame that a fence stands for; 0 for no frame. */
export function checksumIn(fence: Fence): number {
  return Number(BigInt.asUintN(Number(bits), fence));
}

/** The id of the frame that a fence stands for. */
export function idIn(fence: Fence): number {
  return Number(fence >> bits);
}
