/**
 * Writes docs/pictures/ by running the CLI in a real terminal: `node scripts/pictures.ts`. Needs tmux. The ids, times and
 * process ids in the pictures are those of that run.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paintScene, type PaintedScene } from "./pictures/paint-scene.ts";
import { scenes } from "./pictures/scenes.ts";
import { root } from "./run.ts";

export const picturesFolder = join(root, "docs/pictures");

/** Plays all scenes and writes their pictures into a folder. Returns the scenes by name. */
export async function writePictures(folder: string): Promise<ReadonlyMap<string, PaintedScene>> {
  const painted = new Map<string, PaintedScene>();
  mkdirSync(folder, { recursive: true });
  for (const scene of scenes) {
    const result = await paintScene(scene);
    writeFileSync(join(folder, `${scene.name}.svg`), result.svg);
    painted.set(scene.name, result);
  }
  return painted;
}

if (import.meta.main) {
  for (const [name, { svg }] of await writePictures(picturesFolder))
    console.log(`docs/pictures/${name}.svg: ${Math.ceil(Buffer.byteLength(svg) / 1024)} KiB`);
}
