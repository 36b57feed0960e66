import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { picturesFolder } from "../scripts/pictures.ts";
import { describePicture, findForeignRows, paintRed } from "../scripts/pictures/compare-pictures.ts";
import { fastRhythm, paintScene } from "../scripts/pictures/paint-scene.ts";
import { scenes } from "../scripts/pictures/scenes.ts";

test.each(scenes)(
  "the picture $name shows what the program shows now (npm run pictures writes it)",
  { timeout: 180_000 },
  async (scene) => {
    const svg = readFileSync(join(picturesFolder, `${scene.name}.svg`), "utf8");
    const { svg: newSvg, transcript } = await paintScene(scene, fastRhythm);
    expect(describePicture(svg)).toBe(describePicture(newSvg));
    expect(findForeignRows(svg, transcript)).toEqual([]);
    // A changed text and a changed color are detected.
    expect(describePicture(svg.replaceAll("fairlead ", "fairlane "))).not.toBe(describePicture(newSvg));
    expect(describePicture(paintRed(svg))).not.toBe(describePicture(newSvg));
  },
);
