import { sanitizeText, takeFirstLines, toOneLine } from "@fairlead/api";
import type { EventOf } from "@fairlead/contract";
import stringWidth from "string-width";
import { formatMoreLines, truncateLine } from "./text-layout.ts";
import { inputHeading } from "./tool-input.ts";
import type { Paint } from "./paint.ts";

const maxLines = 10;

/** Renders a tool call with a summary of its input: `▸ run ls -la`. */
export function toolHeading(
  { name, input }: EventOf<"tool.requested">,
  width: number,
): { text: string; whole: boolean } {
  const tool = toOneLine(name);
  const head = inputHeading(input, width - stringWidth(tool) - 3);
  const line = `▸ ${tool}${head.text === "" ? "" : ` ${head.text}`}`;
  const text = truncateLine(line, width);
  return { text, whole: head.whole && text === line };
}

export interface ToolEndingOptions {
  readonly paint: Paint;
  readonly width: number;
  /** Name the call, because the line above is about another one. */
  readonly showName: boolean;
  /** Whether the output is already on the screen. */
  readonly isOutputShown: boolean;
}

/** Renders the end of a call: `✓` or `✗`, the reason, and the first lines of its output. */
export function toolEndingLines(
  ended: EventOf<"tool.ended">,
  { paint, width, showName, isOutputShown }: ToolEndingOptions,
): string[] {
  const { lines, more } = takeFirstLines(isOutputShown ? "" : sanitizeText(ended.output), maxLines);
  const outputLines = lines
    .map((line) => truncateLine(line.replaceAll("\t", "  "), width - 4))
    .filter((line, at) => at > 0 || line);
  const mark = ended.ok ? paint("green", "✓") : paint("red", "✗");
  const words = [...(showName ? [toOneLine(ended.name)] : []), ...(ended.ok ? [] : [ended.reason ?? "failed"])].join(
    " ",
  );
  const [first, ...others] =
    words === ""
      ? outputLines
      : outputLines.length > 1
        ? [`${words}:`, ...outputLines]
        : [[words, ...outputLines].join(": ")];
  return [
    `  ${mark}${first === undefined ? "" : ` ${truncateLine(first, width - 4)}`}`,
    ...others.map((line) => `    ${line}`),
    ...(more > 0 ? [paint("dim", `    ${formatMoreLines(more)}`)] : []),
  ];
}

/** Whether `toolEndingLines` shows all of an output. */
export function showsAll(output: string): boolean {
  return takeFirstLines(output, maxLines).more === 0;
}
