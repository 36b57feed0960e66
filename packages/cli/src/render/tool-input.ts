import { listInputFields, maxInputLines, sanitizeText, summarizeInput } from "@fairlead/api";
import { formatMoreLines, wrapWithPrefix, truncateLine } from "./text-layout.ts";
import { noPaint, type Paint } from "./paint.ts";

/** A line that summarizes an input. `whole` means that it leaves out nothing. */
export interface InputHeading {
  readonly text: string;
  readonly whole: boolean;
}

/** `clean` removes or escapes what controls a terminal. */
export function inputHeading(input: unknown, width: number, clean = sanitizeText): InputHeading {
  const { text, isWhole } = summarizeInput(input);
  const [first = "", ...others] = clean(text).trim().split("\n");
  const head = others.length === 0 ? truncateLine(first, width) : `${truncateLine(first, width - 2)} …`;
  return { text: head, whole: isWhole && head === text };
}

export interface InputOptions {
  readonly paint?: Paint;
  /** Show all of it, however long. */
  readonly full?: boolean;
  /** The width at which the terminal wraps lines. */
  readonly columns?: number;
}

/** Renders an input for approval: escapes invisible characters and counts the lines that it leaves out. */
export function inputLines(input: unknown, options: InputOptions = {}): string[] {
  const { paint = noPaint, full = false, columns = Infinity } = options;
  return listInputFields(input, full ? Infinity : maxInputLines).flatMap(({ name, lines, hiddenCount }) => {
    const indent = name === null ? "    " : "      ";
    const [first = ""] = lines;
    if (name !== null && lines.length === 1 && hiddenCount === 0)
      return wrapWithPrefix(`${name}: ${first}`, "    ", "      ", columns - 2);
    return [
      ...(name === null ? [] : wrapWithPrefix(`${name}:`, "    ", "      ", columns - 2)),
      ...wrapWithPrefix(lines.join("\n"), indent, indent, columns),
      ...(hiddenCount === 0 ? [] : [indent + paint("yellow", `${formatMoreLines(hiddenCount)}, NOT SHOWN`)]),
    ];
  });
}
