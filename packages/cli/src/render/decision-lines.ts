import type { EventOf, Question } from "@fairlead/contract";
import { cut } from "./cut.ts";
import { inputLines } from "./input.ts";
import type { Paint } from "./paint.ts";
import { plain, revealed } from "./plain.ts";
import { rows } from "./rows.ts";
import { oneLine } from "./tool-lines.ts";

type Requested = EventOf<"decision.requested">;
type Resolved = EventOf<"decision.resolved">;

export interface ApprovalOptions {
  readonly paint: Paint;
  /** The line above already names the call. */
  readonly headed?: boolean;
  /** All of the input, however long. */
  readonly full?: boolean;
  /** How wide a line can be before the terminal breaks it. */
  readonly columns?: number;
}

/** What is asked. What is too long to be shown is counted, unless it is wanted in full. */
export function approvalLines(
  { title, tool, input }: Pick<Requested, "title" | "tool" | "input">,
  { paint, headed = false, full = false, columns = Infinity }: ApprovalOptions,
): string[] {
  // A title is for reading: what counts is the tool and its input, and those are shown as they are.
  const head = title === "" ? (tool ?? "") : title;
  return [
    ...(headed ? [] : asked(revealed(head).replaceAll("\n", " "), paint, columns)),
    ...(input === undefined ? [] : inputLines(input, { paint, full, columns })),
  ];
}

/** A question with its options, numbered from 1. */
export function questionLines({ text, options }: Question, paint: Paint, columns = Infinity): string[] {
  return [
    ...asked(plain(text), paint, columns),
    ...options.map(({ label, description = "" }, at) => {
      const head = cut(`  ${at + 1}  ${oneLine(label)}`, columns);
      const line = description === "" ? head : cut(`${head}  ${oneLine(description)}`, columns);
      return line.startsWith(head) ? head + paint("dim", line.slice(head.length)) : head;
    }),
  ];
}

/** The agent's words after a mark of ours; those that do not fit into its line have the agent's margin. */
function asked(text: string, paint: Paint, columns: number): string[] {
  const [first = "", ...others] = rows(text, columns - 2);
  return [`${paint("yellow", "?")} ${first}`, ...others.map((row) => `${paint("dim", "│")} ${row}`)];
}

/** What was decided, by whom. */
export function resolutionLine({ outcome, by, input, message, answers }: Resolved): string {
  const edited = input === undefined ? "" : ", with another input";
  const why = message === undefined || message === "" ? "" : `: ${oneLine(message)}`;
  const chosen = answers === undefined ? "" : `: ${oneLine(Object.values(answers).join("; "))}`;
  return `  ${outcome} by ${who[by]}${edited}${why}${chosen}`;
}

const who: Readonly<Record<Resolved["by"], string>> = {
  user: "a person",
  mode: "the permission mode",
  agent: "the agent",
  runtime: "the runtime",
};
