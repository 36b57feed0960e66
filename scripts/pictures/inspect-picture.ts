import type { Chromium, ViewSettings } from "./chromium.ts";
import { cell } from "./render-svg.ts";

/** A text as Chromium lays it out, in units of the picture. */
interface LaidOutText {
  readonly text: string;
  /** Where the text starts and ends. */
  readonly from: number;
  readonly to: number;
  readonly y: number;
  /** Where its cells end. Null for text that is not in the grid: the title of the window. */
  readonly cellsEnd: number | null;
  readonly color: string;
  readonly background: string;
}

interface LaidOutPicture {
  readonly isMalformed: boolean;
  readonly grid: string;
  readonly texts: readonly LaidOutText[];
}

/** The contrast that WCAG 2 demands of text, level AA. */
const minimumContrast = 4.5;
/** In units of the picture. */
const tolerance = 0.5;

/** Fonts of other widths than the grid, the last one proportional. Their text must keep the grid too. */
const fonts: readonly (string | null)[] = [null, "monospace", "serif"];

/** Selects a time of the animation and lays the picture out. It runs in the page, which is the SVG. */
const layOutPicture = `(time, font, cellWidth) => {
  for (const animation of document.getAnimations()) { animation.pause(); animation.currentTime = time; }
  const root = document.documentElement;
  if (font !== null) {
    const style = document.createElementNS(root.namespaceURI, "style");
    style.textContent = "text { font-family: " + font + " !important }";
    root.append(style);
  }
  const fill = (element) => getComputedStyle(element).fill;
  const isVisible = (text) => getComputedStyle(text).visibility === "visible";
  return {
    isMalformed: root.querySelector("parsererror") !== null,
    grid: root.dataset.grid ?? "",
    texts: [...root.querySelectorAll("text")].filter(isVisible).map((text) => {
      const isInGrid = text.closest("g") !== null;
      const count = text.getNumberOfChars();
      return {
        text: text.textContent,
        from: text.getStartPositionOfChar(0).x,
        to: text.getEndPositionOfChar(count - 1).x,
        y: Number(text.getAttribute("y")),
        cellsEnd: isInGrid ? Number(text.getAttribute("x")) + count * cellWidth : null,
        color: fill(text),
        background: fill(root.querySelector(isInGrid ? ".window" : ".bar")),
      };
    }),
  };
}`;

/** Lists what is wrong with a picture at some times of its animation: text outside its cells, text with little contrast. */
export async function inspectPicture(chromium: Chromium, svg: string, times: readonly number[]): Promise<string[]> {
  const faults = new Set<string>();
  const url = chromium.writePage("picture.svg", svg);
  const size = { width: 830, height: 600 };
  const views: readonly ViewSettings[] = [
    { colorScheme: "light", ...size },
    { colorScheme: "dark", ...size },
    { colorScheme: "light", isMotionReduced: true, ...size },
  ];
  for (const view of views) {
    for (const font of fonts) {
      await chromium.show(url, view);
      for (const time of view.isMotionReduced ? [0] : times) {
        const values = [time, font, cell.width].map((value) => JSON.stringify(value)).join();
        const picture = await chromium.evaluate<LaidOutPicture>(`(${layOutPicture})(${values})`);
        for (const fault of findFaults(picture)) faults.add(`${view.colorScheme}, ${font ?? "default font"}: ${fault}`);
      }
    }
  }
  return [...faults];
}

function findFaults({ isMalformed, grid, texts }: LaidOutPicture): string[] {
  if (isMalformed) return ["the XML is malformed"];
  const [left = 0, top = 0, columns = 0, rows = 0] = grid.split(" ").map(Number);
  const [right, bottom] = [left + columns * cell.width, top + rows * cell.height];
  const faults = texts.flatMap(({ text, from, to, y, cellsEnd, color, background }) => {
    const contrast = computeContrast(color, background);
    const isOutside = cellsEnd !== null && (from < left - tolerance || to > right + tolerance || y > bottom);
    const isOffGrid = cellsEnd !== null && Math.abs(to - cellsEnd) > tolerance;
    return [
      ...(isOutside ? [`"${text}" is outside the window`] : []),
      ...(isOffGrid ? [`"${text}" ends at ${to.toFixed(1)}, its cells end at ${cellsEnd.toFixed(1)}`] : []),
      ...(contrast < minimumContrast ? [`"${text}" has a contrast of ${contrast.toFixed(1)}`] : []),
    ];
  });
  return texts.some(({ cellsEnd }) => cellsEnd !== null) ? faults : ["no text is visible"];
}

/** Computes the contrast ratio of two colors as WCAG 2 defines it, from `rgb(…)` as browsers print it. */
export function computeContrast(color: string, background: string): number {
  const [lighter = 0, darker = 0] = [color, background].map(computeLuminance).toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function computeLuminance(color: string): number {
  const channels = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(color)?.slice(1).map(Number);
  if (channels === undefined) throw new Error(`${color} is not a color without transparency.`);
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
