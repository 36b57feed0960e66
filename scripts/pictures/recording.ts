import type { Screen } from "./screen.ts";

export interface Frame {
  /** Milliseconds since the start. */
  readonly at: number;
  readonly screen: Screen;
}

/** What a terminal showed over time. */
export interface Recording {
  readonly columns: number;
  readonly rows: number;
  readonly frames: readonly Frame[];
  /** The indexes of the frames that show the result of a step. */
  readonly steps: readonly number[];
  /** The index of the frame that the picture shows without animation. */
  readonly poster: number;
  /** Every row that the terminal showed at the end of a step, and every row that moved off the screen before. */
  readonly transcript: readonly string[];
}

/** Shortens each wait between two frames to at most `maxIdle` milliseconds. Order and content stay the same. */
export function capIdleTime(recording: Recording, maxIdle: number): Recording {
  let shift = recording.frames[0]?.at ?? 0;
  let previous = shift;
  const frames = recording.frames.map(({ at, screen }) => {
    shift += Math.max(0, at - previous - maxIdle);
    previous = at;
    return { at: Math.round(at - shift), screen };
  });
  return { ...recording, frames };
}
