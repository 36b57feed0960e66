import type { Recording } from "./recording.ts";
import type { CursorPosition, ScreenRow, TextRun } from "./screen.ts";
import { styleSheet } from "./theme.ts";

export interface PictureText {
  readonly title: string;
  readonly description: string;
}

/** Milliseconds for which an animation shows its last frame. */
const finalHold = 4000;

/** In units of the picture. Each run of text is stretched to its cells, so that every font keeps the grid. */
export const cell = { width: 8.4, height: 19 } as const;
const margin = { left: 16, top: 44, right: 16, bottom: 14 } as const;
const barHeight = 32;
const baseline = 14;

type Interval = readonly [from: number, to: number];

interface TimedElement {
  readonly svg: string;
  readonly intervals: readonly Interval[];
}

/** Renders a recording as an SVG that plays in an `<img>`, without a script. */
export function renderAnimation(recording: Recording, text: PictureText): string {
  const starts = recording.frames.map(({ at }) => at);
  const duration = (starts.at(-1) ?? 0) + finalHold;
  const endOf = (index: number): number => starts[index + 1] ?? duration;
  const steps = recording.steps.map((index) => Math.round(((starts[index] ?? 0) + endOf(index)) / 2));
  const poster = starts[recording.poster] ?? 0;
  const shown = collectElements(recording, (index) => [starts[index] ?? 0, endOf(index)]);
  const timings = new Map<string, string>();
  const elements = shown.map(({ svg, intervals }) => {
    if (isAlways(intervals, duration)) return `<g>${svg}</g>`;
    const keyframes = renderKeyframes(intervals, duration);
    const name = timings.get(keyframes) ?? `k${timings.size}`;
    timings.set(keyframes, name);
    const isOnPoster = intervals.some(([from, to]) => from <= poster && poster < to);
    return `<g class="t ${name}${isOnPoster ? " poster" : ""}">${svg}</g>`;
  });
  const rules = [
    // Some readers turn animation off, and some programs have none.
    `.t{visibility:hidden;animation:${duration}ms step-end infinite}.poster{visibility:visible}`,
    "@media (prefers-reduced-motion:reduce){.t{animation:none}}",
    ...[...timings].map(([keyframes, name]) => `.${name}{animation-name:${name}}@keyframes ${name}{${keyframes}}`),
  ];
  return renderDocument(recording, text, { rules, elements, duration, steps });
}

/** Renders the last frame of a recording. */
export function renderStill(recording: Recording, text: PictureText): string {
  const last = { ...recording, frames: recording.frames.slice(-1) };
  const elements = collectElements(last, () => [0, 0]).map(({ svg }) => `<g>${svg}</g>`);
  return renderDocument(recording, text, { rules: [], elements, duration: 0, steps: [0] });
}

/** Finds every row and cursor that differs, with the times at which it is visible: the cursors, then row by row. */
function collectElements(recording: Recording, intervalOf: (index: number) => Interval): TimedElement[] {
  const cursors = new Map<string, Interval[]>();
  const rows = Array.from({ length: recording.rows }, () => new Map<string, Interval[]>());
  recording.frames.forEach(({ screen }, index) => {
    const interval = intervalOf(index);
    if (screen.cursor !== null) extend(cursors, renderCursor(screen.cursor), interval);
    rows.forEach((versions, row) => {
      const svg = renderRow(screen.rows[row] ?? [], row);
      if (svg !== "") extend(versions, svg, interval);
    });
  });
  return [cursors, ...rows].flatMap((versions) => [...versions].map(([svg, intervals]) => ({ svg, intervals })));
}

function extend(versions: Map<string, Interval[]>, svg: string, interval: Interval): void {
  const intervals = versions.get(svg) ?? [];
  const last = intervals.at(-1);
  if (last?.[1] === interval[0]) intervals.splice(-1, 1, [last[0], interval[1]]);
  else intervals.push(interval);
  versions.set(svg, intervals);
}

function isAlways(intervals: readonly Interval[], duration: number): boolean {
  const [[from, to] = [0, 0]] = intervals;
  return from === 0 && to === duration;
}

function renderKeyframes(intervals: readonly Interval[], duration: number): string {
  const percent = (time: number): string => `${Number(((time / duration) * 100).toFixed(3))}%`;
  const hidden = intervals[0]?.[0] === 0 ? "" : "0%{visibility:hidden}";
  const changes = intervals.flatMap(([from, to]) => [
    `${percent(from)}{visibility:visible}`,
    ...(to === duration ? [] : [`${percent(to)}{visibility:hidden}`]),
  ]);
  return hidden + changes.join("");
}

function renderRow(row: ScreenRow, index: number): string {
  return row.map((run) => renderRun(run, index)).join("");
}

function renderRun({ column, text, color, isBold }: TextRun, row: number): string {
  const style = [...(color === "default" ? [] : [color]), ...(isBold ? ["bold"] : [])].join(" ");
  return renderElement(
    "text",
    {
      x: round(margin.left + column * cell.width),
      y: margin.top + row * cell.height + baseline,
      textLength: round(Array.from(text).length * cell.width),
      lengthAdjust: "spacingAndGlyphs",
      ...(style !== "" && { class: style }),
    },
    text,
  );
}

function renderCursor({ column, row }: CursorPosition): string {
  return renderElement("rect", {
    class: "cursor",
    x: round(margin.left + column * cell.width),
    y: margin.top + row * cell.height,
    width: cell.width,
    height: cell.height - 2,
  });
}

interface DocumentParts {
  readonly rules: readonly string[];
  readonly elements: readonly string[];
  readonly duration: number;
  readonly steps: readonly number[];
}

function renderDocument(
  { columns, rows }: Recording,
  { title, description }: PictureText,
  { rules, elements, duration, steps }: DocumentParts,
): string {
  const width = round(margin.left + columns * cell.width + margin.right);
  const height = margin.top + rows * cell.height + margin.bottom;
  const attributes = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-labelledby": "title description",
    "data-grid": `${margin.left} ${margin.top} ${columns} ${rows}`,
    "data-duration": duration,
    "data-steps": steps.join(" "),
  };
  const frame = [
    `<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `<path class="bar" d="M1 ${barHeight}V8.5A7.5 7.5 0 0 1 8.5 1H${width - 8.5}A7.5 7.5 0 0 1 ${width - 1} 8.5V${barHeight}Z"/>`,
    `<path class="line" d="M1 ${barHeight + 0.5}H${width - 1}"/>`,
    `<text class="dim" x="${width / 2}" y="21" text-anchor="middle">bash</text>`,
  ];
  const content = [
    renderElement("title", { id: "title" }, title),
    renderElement("desc", { id: "description" }, description),
    renderElement("style", {}, `\n${[styleSheet, ...rules].join("\n")}\n`),
    ...frame,
    ...elements,
  ];
  return [`<svg${renderAttributes(attributes)}>`, ...content, "</svg>", ""].join("\n");
}

function renderElement(name: string, attributes: Readonly<Record<string, string | number>>, text?: string): string {
  const start = `<${name}${renderAttributes(attributes)}`;
  return text === undefined ? `${start}/>` : `${start}>${escapeXml(text)}</${name}>`;
}

function renderAttributes(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join("");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function round(value: number): number {
  return Number(value.toFixed(2));
}
