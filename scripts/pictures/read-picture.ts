import { parseXml, type XmlElement } from "./parse-xml.ts";
import { cell } from "./render-svg.ts";
import { rowText, rowsText } from "./screen.ts";

/** The text that a picture shows. */
export interface PictureContent {
  /** The screen at the end of each step. A still picture has one. */
  readonly screens: readonly string[];
  /** The same screens as rows of text with its style. */
  readonly styledScreens: readonly (readonly (readonly StyledText[])[])[];
  /** Every row that is visible at some time. */
  readonly rows: readonly string[];
}

/** Text of one style that starts at a column of a row. */
export interface StyledText {
  readonly column: number;
  readonly text: string;
  /** The classes of its color and weight. Empty for plain text. */
  readonly style: string;
}

interface ShownRun extends StyledText {
  readonly row: number;
  readonly isVisibleAt: (time: number) => boolean;
}

/** Scripts, images and links are none of them: code hosts do not show them. */
const knownElements = new Set(["svg", "title", "desc", "style", "rect", "path", "text", "g"]);

/** Reads the text out of a picture. Throws if the picture is not well-formed, or not one of ours. */
export function readPicture(svg: string): PictureContent {
  const picture = parseXml(svg);
  const unknown = listElements(picture).find(({ name }) => !knownElements.has(name));
  if (unknown !== undefined) throw new Error(`The picture contains an unknown element: ${unknown.name}.`);
  const keyframes = readKeyframes(picture.children.find(({ name }) => name === "style")?.text ?? "");
  const [left = 0, top = 0, , rowCount = 0] = readNumbers(picture, "data-grid");
  const [duration = 0] = readNumbers(picture, "data-duration");
  const readRun = ({ attributes, text }: XmlElement, isVisibleAt: ShownRun["isVisibleAt"]): ShownRun => ({
    column: Math.round((Number(attributes["x"]) - left) / cell.width),
    row: Math.floor((Number(attributes["y"]) - top) / cell.height),
    text,
    style: attributes["class"] ?? "",
    isVisibleAt,
  });
  const groups = picture.children.flatMap((element) => {
    if (element.name !== "g") return [];
    const texts = element.children.filter(({ name }) => name === "text");
    const timing = / (k\d+)/.exec(element.attributes["class"] ?? "")?.[1];
    const isVisibleAt = timing === undefined ? () => true : readTiming(keyframes, timing, duration);
    return texts.length === 0 ? [] : [texts.map((text) => readRun(text, isVisibleAt))];
  });
  const runs = groups.flat();
  const styledScreens = readNumbers(picture, "data-steps").map((time) => {
    const visible = runs.filter(({ isVisibleAt }) => isVisibleAt(time));
    return Array.from({ length: rowCount }, (_, row) => visible.filter((run) => run.row === row));
  });
  return { screens: styledScreens.map(rowsText), styledScreens, rows: groups.map(rowText) };
}

function listElements(element: XmlElement): XmlElement[] {
  return [element, ...element.children.flatMap(listElements)];
}

function readNumbers(picture: XmlElement, attribute: string): number[] {
  const numbers = (picture.attributes[attribute] ?? "").split(" ").map(Number);
  if (numbers.some(Number.isNaN)) throw new Error(`The picture has no valid ${attribute}.`);
  return numbers;
}

type Keyframes = ReadonlyMap<string, readonly { readonly percent: number; readonly isVisible: boolean }[]>;

function readKeyframes(style: string): Keyframes {
  return new Map(
    [...style.matchAll(/@keyframes (k\d+)\{((?:[\d.]+%\{visibility:\w+\})+)\}/g)].map(([, name = "", list = ""]) => [
      name,
      [...list.matchAll(/([\d.]+)%\{visibility:(\w+)\}/g)].map(([, percent, visibility]) => ({
        percent: Number(percent),
        isVisible: visibility === "visible",
      })),
    ]),
  );
}

function readTiming(keyframes: Keyframes, name: string, duration: number): (time: number) => boolean {
  const list = keyframes.get(name);
  if (list === undefined) throw new Error(`The picture has no keyframes ${name}.`);
  return (time) => list.findLast(({ percent }) => percent <= (time / duration) * 100)?.isVisible ?? false;
}
