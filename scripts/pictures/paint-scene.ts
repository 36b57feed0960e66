import type { TestBench } from "@fairlead/conformance";
import { keyBenches, testBenches } from "@fairlead/lab";
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
  const { workspace } = home;
  await using resources = new AsyncDisposableStack();
  const benches: Record<string, TestBench> = {};
  for (const agent of scene.agents ?? []) {
    const openBench = keyBenches[agent] ?? testBenches[agent];
    if (openBench !== undefined) benches[agent] = resources.use(await openBench(home.agentsFolder));
  }
  const environment = joinEnvironments(home.environment, benches);
  scene.prepare?.(workspace, benches);
  await using terminal = new RecordedTerminal({ columns, rows, workspace, environment, rhythm });
  await terminal.waitFor(/^\$$/);
  await scene.play(terminal);
  const recording = capIdleTime(terminal.recording, maxIdle);
  const text = { title, description };
  const svg = scene.isAnimated ? renderAnimation(recording, text) : renderStill(recording, text);
  return { svg, transcript: recording.transcript };
}

/** The agents' variables, with the programs of all and the CLI on the PATH. */
function joinEnvironments(
  own: Readonly<Record<string, string>>,
  benches: Readonly<Record<string, TestBench>>,
): Readonly<Record<string, string>> {
  const agents = Object.values(benches).map(({ environment }) => environment);
  const path = [own, ...agents].map((environment) => environment["PATH"]).join(":");
  // With the home of the agents: their logins are there.
  return { ...own, ...Object.assign({}, ...agents.toReversed()), PATH: path };
}
