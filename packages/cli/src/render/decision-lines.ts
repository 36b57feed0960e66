import type { EventOf, Question } from "@fairlead/contract";
import { inputLines } from "./input.ts";
import type { Paint } from "./paint.ts";
import { plain, revealed } from "./plain.ts";
import { oneLine } from "./tool-lines.ts";

type Requested = EventOf<"decision.requested">;
type Resolved = EventOf<"decision.resolved">;

/** What is asked, in full. `headed` means that the line above already names the call. */
export function approvalLines(
  { title, tool, input }: Pick<Requested, "title" | "tool" | "input">,
  headed: boolean,
  paint: Paint,
): string[] {
  // A title is for reading: what counts is the tool and its input, and those are shown as they are.
  const head = title === "" ? (tool ?? "") : title;
  return [
    ...(headed ? [] : [`${paint("yellow", "?")} ${revealed(head).replaceAll("\n", " ")}`]),
    ...(input === undefined ? [] : inputLines(input)),
  ];
}

/** A question with its options, numbered from 1. */
export function questionLines({ text, options }: Question, paint: Paint): string[] {
  const [first = "", ...others] = plain(text).split("\n");
  return [
    `${paint("yellow", "?")} ${first}`,
    ...others.map((line) => `  ${line}`),
    ...options.map(({ label, description }, at) => {
      const more = description === undefined ? "" : paint("dim", `  ${oneLine(description)}`);
      return `  ${at + 1}  ${oneLine(label)}${more}`;
    }),
  ];
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
