import { FrameRefused } from "@fairlead/keeper";

/** Whether a keeper has refused a frame only for now, as while the disk is full. */
export function isPassing(error: unknown): boolean {
  return error instanceof FrameRefused && error.passing;
}
