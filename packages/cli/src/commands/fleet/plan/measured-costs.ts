import { z } from "zod";

/**
 * What frames cost the servers of a fleet. The claim `slope` measures it and writes a file of this form:
 * `npm run claims -- slope`.
 */
export const MeasuredCosts = z.strictObject({
  /** The machine on which it was measured, and when. */
  machine: z.string(),
  measuredAt: z.string(),
  server: z.string(),
  eventsPerFrame: z.number().positive(),
  /** The bytes of a stored frame: those that do not depend on the number of events, and those of each event. */
  bytesPerFrame: z.number().positive(),
  bytesPerEvent: z.number().positive(),
  /** The milliseconds until an append is acknowledged, with one in flight per stream. */
  appendMilliseconds: z.number().positive(),
  /** Microseconds of all servers' processors to put a row into the index. */
  rowMicroseconds: z.number().positive(),
  /** Bytes of memory that each server needs for a session. */
  bytesPerSession: z.number().positive(),
  /** Microseconds of all servers' processors for a frame, without what idle servers use. */
  frames: z
    .array(
      z.strictObject({
        streams: z.number().int().positive(),
        /** The appends that are in flight per stream at the same time. */
        inFlight: z.number().positive(),
        microseconds: z.number().positive(),
      }),
    )
    .min(1),
});
export type MeasuredCosts = z.infer<typeof MeasuredCosts>;

/**
 * Returns the microseconds of a frame: between two measured numbers of appends in flight on a logarithmic scale, and outside
 * of them the nearest. Only the rows with the nearest number of streams count.
 */
export function costOfFrame({ frames }: Pick<MeasuredCosts, "frames">, streams: number, inFlight: number): number {
  const distance = (row: { readonly streams: number }): number => Math.abs(Math.log(row.streams / streams));
  const nearest = Math.min(...frames.map(distance));
  const rows = frames.filter((row) => distance(row) === nearest).toSorted((a, b) => a.inFlight - b.inFlight);
  const above = rows.find((row) => row.inFlight >= inFlight);
  const below = rows.findLast((row) => row.inFlight <= inFlight);
  if (above === undefined || below === undefined || above === below)
    return (above ?? below ?? rows[0])?.microseconds ?? 0;
  const share = Math.log(inFlight / below.inFlight) / Math.log(above.inFlight / below.inFlight);
  return below.microseconds ** (1 - share) * above.microseconds ** share;
}
