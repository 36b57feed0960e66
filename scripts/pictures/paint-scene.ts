import { capIdleTime } from "./recording.ts";
import { RecordedTerminal, type TypingRhythm } from "./recorded-terminal.ts";
import { renderAnimation, renderStill } from "./render-svg.ts";
import { SceneHome } from "./scene-home.ts";
import type { Scene } from "./scenes.ts";

/** A rhythm that a reader can follow. */
const readableRhythm: TypingRhythm = { perKey: 40, beforeEnter: 200, afterStep: 1000 };
/** As fast as the program answers. The picture has the same steps. */
export const fastRhythm: TypingRhythm = { perKey: 0, beforeEnter: 0, afterStep: 0 };
/** Milliseconds. */
const maxIdle = 1000;

export interface PaintedScene {
  readonly svg: string;
  /** Every row that the terminal showed at the end of a step, and every row that moved off the screen before. */
  readonly transcript: readonly string[];
}

/** Plays a scene in a real terminal and paints its picture. */
export async function paintScene(
  scene: Scene,
  rhythm = scene.isAnimated ? readableRhythm : fastRhythm,
): Promise<PaintedScene> {
  const { columns, rows, title, description } = scene;
  await using home = new SceneHome();
  const { workspace, environment } = home;
  await using terminal = new RecordedTerminal({ columns, rows, workspace, environment, rhythm });
  await terminal.waitFor(/^\$$/);
  await scene.play(terminal);
  const recording = capIdleTime(terminal.recording, maxIdle);
  const text = { title, description };
  const svg = scene.isAnimated ? renderAnimation(recording, text) : renderStill(recording, text);
  return { svg, transcript: recording.transcript };
}
