import { escapeLine, formatResolution, grantLabels, sanitizeText, toOneLine } from "@fairlead/api";
import { escapeInvisible, type EventOf, type Question } from "@fairlead/contract";
import { truncateLine, wrapText } from "./text-layout.ts";
import { inputHeading, inputLines } from "./tool-input.ts";
import type { Paint } from "./paint.ts";

type DecisionRequestedEvent = EventOf<"decision.requested">;
type DecisionResolvedEvent = EventOf<"decision.resolved">;

export interface ApprovalOptions {
  readonly paint: Paint;
  /** Whether the line above already names the call. */
  readonly isCallShown?: boolean;
  /** Show all of the input, however long. */
  readonly full?: boolean;
  /** The width at which the terminal wraps lines. */
  readonly columns?: number;
}

/** Renders a request for approval. Counts the lines that it leaves out, unless all are wanted. */
export function approvalLines(
  { title, tool, input }: Pick<DecisionRequestedEvent, "title" | "tool" | "input">,
  { paint, isCallShown = false, full = false, columns = Infinity }: ApprovalOptions,
): string[] {
  return [
    ...(isCallShown ? [] : questionTextLines(callTitle({ title, tool }), paint, columns)),
    ...(input === undefined ? [] : inputLines(input, { paint, full, columns })),
  ];
}

/** Commands that are shown of a reading. The rest is counted. */
const maxReadCommands = 10;

/** Renders what Fairlead found in a call, apart from the agent's own words. Nothing for a call that no rule is about. */
export function readingLines(
  { reading, category, deadline, options = [], input, agent }: ReadRequest,
  paint: Paint,
  columns = Infinity,
): string[] {
  const lines: string[] = [];
  if (reading !== undefined && reading.verdict !== "none") {
    const { reason, alsoFound = [], commands, omittedCommands = 0 } = reading;
    lines.push(
      `· ${category === undefined ? "" : `${category}: `}${reason}`,
      ...alsoFound.map((found) => `· ${found}`),
    );
    const isAsWritten = commands.length === 1 && isCommandOf(input, commands[0]);
    const shown = isAsWritten ? [] : commands.slice(0, maxReadCommands);
    lines.push(...shown.map((command) => `·   runs: ${command}`));
    const hidden = isAsWritten ? 0 : commands.length - shown.length + omittedCommands;
    if (hidden > 0) lines.push(`·   and ${hidden} more`);
  }
  const end = agent === "foreman" ? "the run ends as timed-out" : "denied";
  if (deadline !== undefined) lines.push(`· ${end} if not answered by ${new Date(deadline).toLocaleString()}`);
  lines.push(
    ...options.map(({ id, label, scope }) => `· option ${id}: ${label}${scope === undefined ? "" : ` (${scope})`}`),
  );
  return lines.map((line) => paint("dim", truncateLine(escapeLine(line), columns)));
}

type ReadRequest = Pick<DecisionRequestedEvent, "reading" | "category" | "deadline" | "options" | "input"> & {
  /** The agent that asks; `foreman` for a run. */
  readonly agent?: string;
};

function isCommandOf(input: unknown, command: string | undefined): boolean {
  return typeof input === "object" && input !== null && Object.values(input).includes(command);
}

/** Names what a person may allow in general: `npm test …` with other arguments, `git push` without. Null if nothing can be. */
export function grantText({ reading }: Pick<DecisionRequestedEvent, "reading">): string | null {
  const texts = grantLabels({ reading }).map((label) => `\`${label}\``);
  return texts.length === 0 ? null : texts.join(" and ");
}

/** Renders what a request asks to do, on one line. The title is only a label: the tool and its input decide what runs. */
export function callTitle({ title, tool }: Pick<DecisionRequestedEvent, "title" | "tool">): string {
  return escapeInvisible(title === "" ? (tool ?? "") : title).replaceAll("\n", " ");
}

/** Limit of the input and of the title in a list of requests, in cells. */
const maxSummaryWidth = 200;

type SummarizedRequest = Pick<DecisionRequestedEvent, "title" | "tool" | "input"> &
  Partial<Pick<DecisionRequestedEvent, "kind" | "questions">>;

/**
 * Renders a request on one line: the questions with their options, or the tool with its input, then the agent's own words
 * if they say something else.
 */
export function callSummary({ kind, questions = [], title, tool, input }: SummarizedRequest): string {
  if (kind === "question" && questions.length > 0)
    return `asks: ${truncateLine(questions.map(questionSummary).join(" · "), maxSummaryWidth)}`;
  const words = truncateLine(escapeLine(title), maxSummaryWidth);
  if (tool === undefined) return words;
  const { text, whole } = inputHeading(input, maxSummaryWidth, escapeLine);
  const call = `${truncateLine(escapeLine(tool), maxSummaryWidth)} ${text}`.trim();
  const more = whole || text.endsWith("…") ? "" : " …";
  const isSame = [call, tool, ""].includes(words);
  return `${call}${more}${isSame ? "" : ` (${words})`}`;
}

function questionSummary({ text, options }: Question): string {
  const choices = options.map(({ label }, at) => `${at + 1} ${escapeLine(label)}`).join(", ");
  return `${escapeLine(text)}${choices === "" ? "" : ` (${choices})`}`;
}

/** Renders a question with its options, numbered from 1. */
export function questionLines({ text, options }: Question, paint: Paint, columns = Infinity): string[] {
  return [
    ...questionTextLines(sanitizeText(text), paint, columns),
    ...options.map(({ label, description = "" }, at) => {
      const head = truncateLine(`  ${at + 1}  ${toOneLine(label)}`, columns);
      const line = description === "" ? head : truncateLine(`${head}  ${toOneLine(description)}`, columns);
      return line.startsWith(head) ? head + paint("dim", line.slice(head.length)) : head;
    }),
  ];
}

/** Renders the agent's text after a question mark. Continuation lines have the agent's margin. */
function questionTextLines(text: string, paint: Paint, columns: number): string[] {
  const [first = "", ...others] = wrapText(text, columns - 2);
  return [`${paint("yellow", "?")} ${first}`, ...others.map((row) => `${paint("dim", "│")} ${row}`)];
}

/** Renders the outcome of a decision and who made it. `request` names the request, if the line above is about another one. */
export function resolutionLine(resolved: DecisionResolvedEvent, request: string | null = null): string {
  const outcome = formatResolution(resolved, (text) => truncateLine(text.trim(), maxSummaryWidth));
  return `  ${request === null ? "" : `${request}: `}${outcome}`;
}
