import type { Fence } from "@fairlead/journal";
import type { FrameLink } from "./frame.ts";

const checksumBits = 32n;

/**
 * Combines the stream sequence of a session's newest complete frame with its checksum. The sequence alone is not enough:
 * two streams have equal sequences, and a stream that was restored from an old copy gives the same ones again.
 */
export function linkToFence({ sequence, checksum }: FrameLink): Fence {
  return (BigInt(sequence) << checksumBits) | BigInt(checksum);
}

/** Returns the stream sequence of the frame that a fence identifies. */
export function fenceSequence(fence: Fence): number {
  return Number(fence >> checksumBits);
}
