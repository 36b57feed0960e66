/**
 * Writes docs/pictures/ by running the CLI in a real terminal: `npm run pictures`. With a folder as its argument, writes the
 * pictures and what the terminal showed there. Needs tmux, and the offline namespace for real agents. The ids, times and process
 * ids in the pictures are those of that run.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paintScene, type PaintedScene } from "./pictures/paint-scene.ts";
import { scenes } from "./pictures/scenes.ts";
import { root } from "./run.ts";

export const picturesFolder = join(root, "docs/pictures");

/** Plays all scenes and writes their pictures into a folder. Returns the scenes by name. */
async function writePictures(folder: string): Promise<ReadonlyMap<string, PaintedScene>> {
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
  const folder = process.argv[2];
  for (const [name, { svg, transcript }] of await writePictures(folder ?? picturesFolder)) {
    if (folder !== undefined) writeFileSync(join(folder, `${name}.json`), JSON.stringify(transcript));
    console.log(`${name}.svg: ${Math.ceil(Buffer.byteLength(svg) / 1024)} KiB`);
  }
}
