import type { EventOf } from "@fairlead/contract";
import { cut, firstLines, moreLines } from "./cut.ts";
import { inputHead } from "./input.ts";
import type { Paint } from "./paint.ts";
import { plain } from "./plain.ts";

const mostLines = 10;

/** `▸ run ls -la`: the tool and what it is about. */
export function toolHead({ name, input }: EventOf<"tool.requested">, width: number): { text: string; whole: boolean } {
  const tool = oneLine(name);
  const head = inputHead(input, width - tool.length - 3);
  const line = `▸ ${tool}${head.text === "" ? "" : ` ${head.text}`}`;
  const text = cut(line, width);
  return { text, whole: head.whole && text === line };
}

export interface EndingOptions {
  readonly paint: Paint;
  readonly width: number;
  /** Say which call this is about, since another stands above it. */
  readonly named: boolean;
  /** The output is on the screen already. */
  readonly shown: boolean;
}

/** `✓` or `✗` with what became of the call and the first lines of what it printed. */
export function toolEnding(ended: EventOf<"tool.ended">, { paint, width, named, shown }: EndingOptions): string[] {
  const { lines, more } = firstLines(shown ? "" : plain(ended.output), mostLines);
  const said = lines.map((line) => cut(line.replaceAll("\t", "  "), width - 4)).filter((line, at) => at > 0 || line);
  const mark = ended.ok ? paint("green", "✓") : paint("red", "✗");
  const words = [...(named ? [oneLine(ended.name)] : []), ...(ended.ok ? [] : [ended.reason ?? "failed"])].join(" ");
  const [first, ...others] =
    words === "" ? said : said.length > 1 ? [`${words}:`, ...said] : [[words, ...said].join(": ")];
  return [
    `  ${mark}${first === undefined ? "" : ` ${cut(first, width - 4)}`}`,
    ...others.map((line) => `    ${line}`),
    ...(more > 0 ? [paint("dim", `    ${moreLines(more)}`)] : []),
  ];
}

/** Whether the ending of a call shows all that it printed. */
export function showsAll(output: string): boolean {
  return firstLines(output, mostLines).more === 0;
}

export function oneLine(text: string): string {
  return plain(text).replace(/\s+/g, " ").trim();
}
