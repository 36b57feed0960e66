import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Claim } from "../measure/claim.ts";
import { picturesFolder } from "../scripts/pictures.ts";
import { Chromium, type ViewSettings } from "../scripts/pictures/chromium.ts";
import { describePicture, findForeignRows, paintRed } from "../scripts/pictures/compare-pictures.ts";
import { inspectPicture } from "../scripts/pictures/inspect-picture.ts";
import { runQuietly } from "../scripts/run.ts";
import { scenes } from "../scripts/pictures/scenes.ts";

/** Times of an animation at which it is inspected. */
const viewCount = 12;
const readmeSize = { width: 830, height: 600 };

/** Plays all scenes again, compares, and inspects the pictures in Chromium in light and in dark. */
export const pictures: Claim = {
  id: "pictures",
  statement:
    "One command regenerates the pictures of README and docs from real runs in a real terminal. They are legible in light and in dark.",
  bound: "same text and colors as a new run, 0 texts outside the grid, contrast ≥ 4.5, every control detected",
  async prove() {
    if (!Chromium.isInstalled()) return { measured: "not inspected: chromium is not installed", holds: false };
    const folder = mkdtempSync(join(tmpdir(), "pictures-"));
    using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
    // A scene with real agents plays only in the offline namespace, and Chromium does not.
    const { code, output } = await runQuietly("scripts/offline", ["node", "scripts/pictures.ts", folder]);
    if (code !== 0) throw new Error(output);
    await using chromium = await Chromium.start();
    const faults: string[] = [];
    let controls = 0;
    for (const { name } of scenes) {
      const svg = readFileSync(join(picturesFolder, `${name}.svg`), "utf8");
      const newSvg = readFileSync(join(folder, `${name}.svg`), "utf8");
      const transcript = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as string[];
      const foundFaults = [
        ...compare(svg, newSvg, transcript),
        ...(await inspectPicture(chromium, svg, listTimes(svg))),
        ...(await inspectAsImage(chromium, svg)),
      ];
      faults.push(...foundFaults.map((fault) => `${name}: ${fault}`));
      controls += await countDetectedControls(chromium, svg, newSvg, transcript);
    }
    for (const fault of faults) console.log(fault);
    const allControls = scenes.length * controlCount;
    return {
      measured: `${scenes.length} pictures, ${faults.length} faults in light and dark at up to ${viewCount} times each; control: ${controls} of ${allControls} changed pictures detected`,
      holds: faults.length === 0 && controls === allControls,
    };
  },
};

function compare(svg: string, newSvg: string, transcript: readonly string[]): string[] {
  const isCurrent = describePicture(svg) === describePicture(newSvg);
  return [
    ...(isCurrent ? [] : ["its text or its colors differ from a new run; write it with: npm run pictures"]),
    ...findForeignRows(svg, transcript).map((row) => `no step of the run shows the row "${row}"`),
  ];
}

const controlCount = 4;

/** Counts the detected changes: another text, another color, a text that leaves the grid, a text with little contrast. */
async function countDetectedControls(
  chromium: Chromium,
  svg: string,
  newSvg: string,
  transcript: readonly string[],
): Promise<number> {
  const [time = 0] = listTimes(svg).slice(-1);
  const detections = [
    compare(svg.replaceAll("fairlead ", "fairlane "), newSvg, transcript),
    compare(paintRed(svg), newSvg, transcript),
    await inspectPicture(chromium, svg.replaceAll(/ textLength="[^"]*"/g, ""), [time]),
    await inspectPicture(chromium, svg.replaceAll("text{fill:#", "text{fill:#7f7f7f;stroke:#"), [time]),
  ];
  return detections.filter((faults) => faults.length > 0).length;
}

function listTimes(svg: string): number[] {
  const duration = Number(/data-duration="(\d+)"/.exec(svg)?.[1]);
  if (duration === 0) return [0];
  return Array.from({ length: viewCount }, (_, index) => Math.round((duration * index) / viewCount));
}

/** Shows the picture in an `<img>`, as a README does: it must load, play, and follow the color scheme of its page. */
async function inspectAsImage(chromium: Chromium, svg: string): Promise<string[]> {
  chromium.writePage("image.svg", svg);
  const [light, dark] = [await showImage(chromium, "light"), await showImage(chromium, "dark")];
  const isAnimated = /data-duration="[1-9]/.test(svg);
  return [
    ...(light.isLoaded && dark.isLoaded ? [] : ["does not load in an <img>"]),
    ...(light.background.equals(dark.background) ? ["is the same in light and in dark in an <img>"] : []),
    ...(light.first.equals(light.second) === isAnimated ? ["does not play as expected in an <img>"] : []),
  ];
}

interface ShownImage {
  readonly isLoaded: boolean;
  /** Pixels of the window without text. */
  readonly background: Buffer;
  /** The picture at two times. */
  readonly first: Buffer;
  readonly second: Buffer;
}

async function showImage(chromium: Chromium, colorScheme: ViewSettings["colorScheme"]): Promise<ShownImage> {
  const style = `margin:0;background:#888;color-scheme:${colorScheme}`;
  const url = chromium.writePage("image.html", `<body style="${style}"><img src="image.svg" width="100%"></body>`);
  await chromium.show(url, { colorScheme, ...readmeSize });
  const isLoaded = await chromium.evaluate<boolean>("document.images[0].naturalWidth > 0");
  const background = await chromium.takeScreenshot({ x: 4, y: 100, width: 4, height: 4 });
  const first = await chromium.takeScreenshot();
  // The animation plays in real time, and its first second shows a person typing.
  await wait(1500);
  return { isLoaded, background, first, second: await chromium.takeScreenshot() };
}
