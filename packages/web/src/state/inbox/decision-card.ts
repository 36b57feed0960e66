import {
  type AnswerChoices,
  type DecisionView,
  escapeLine,
  groupDigits,
  type InputField,
  listAnswerChoices,
  listInputFields,
  summarizeInput,
} from "@fairlead/api";
import { type Capability, escapeInvisible, type Question } from "@fairlead/contract";
import { type CallReading, readCall } from "./call-reading.ts";
import { type Findings, listFindings } from "../findings.ts";

/** What a person is shown of an open request. */
export interface DecisionCard {
  readonly session: string;
  readonly decision: string;
  readonly digest: string;
  readonly kind: DecisionView["kind"];
  /** Null for a question. */
  readonly reading: CallReading | null;
  readonly findings: Findings;
  /** What the agent says of the call; null if it says nothing but the call. */
  readonly words: string | null;
  /** The name of the agent's tool; null if the request is about none. */
  readonly tool: string | null;
  /** The input, with invisible characters escaped. */
  readonly fields: readonly InputField[];
  readonly questions: readonly Question[];
  readonly choices: AnswerChoices;
  /** What is not on the card, for beside the buttons; null if all is. */
  readonly notShown: string | null;
  readonly replaces: boolean;
  readonly since: string;
  readonly deadline: string | null;
}

export interface CardOptions {
  readonly capabilities: readonly Capability[];
  /** Whether the whole input is shown, however long. */
  readonly isFull: boolean;
}

export function buildCard(view: DecisionView, { capabilities, isFull }: CardOptions): DecisionCard {
  const { session, decision, digest, kind, tool, input, questions = [], replaces, since, deadline } = view;
  const reading = readCall(view);
  // The input of a question is what the questions show.
  const fields = kind === "question" ? [] : listInputFields(input, isFull ? Infinity : undefined);
  return {
    session,
    decision,
    digest,
    kind,
    reading,
    findings: listFindings(view),
    words: wordsOf(view),
    tool: tool === undefined ? null : escapeLine(tool),
    fields,
    questions,
    choices: listAnswerChoices(view, capabilities),
    notShown: countNotShown(fields, reading),
    replaces,
    since,
    deadline: deadline ?? null,
  };
}

/** Says in one line what a request is about. */
export function summarizeCard(view: DecisionView): string {
  const { kind, questions = [], title } = view;
  const [question] = questions;
  if (kind === "question") return escapeLine(question?.text ?? title);
  const { lines = [], omitted = 0 } = readCall(view) ?? {};
  const more = lines.length - 1 + omitted;
  return `${lines[0] ?? escapeLine(title)}${more > 0 ? ` and ${groupDigits(more)} more` : ""}`;
}

/** The title without what the card shows anyway. Adapters write `tool: words` or `tool words`. */
function wordsOf({ kind, title, tool, action, input, questions = [] }: DecisionView): string | null {
  const prefix = [`${tool}: `, `${tool} `].find((one) => tool !== undefined && title.startsWith(one)) ?? "";
  const text = title.slice(prefix.length);
  const shown = ["", tool, action?.command, summarizeInput(input).text, ...questions.map((one) => one.text)];
  return kind === "network" || shown.includes(text.trim()) ? null : escapeInvisible(text.trim());
}

function countNotShown(fields: readonly InputField[], reading: CallReading | null): string | null {
  const lines = fields.reduce((sum, { hiddenCount }) => sum + hiddenCount, 0);
  const commands = reading?.omitted ?? 0;
  const parts = [
    ...(lines === 0 ? [] : [`${groupDigits(lines)} more ${lines === 1 ? "line" : "lines"}`]),
    ...(commands === 0 ? [] : [`${groupDigits(commands)} more ${commands === 1 ? "command" : "commands"}`]),
  ];
  return parts.length === 0 ? null : `${parts.join(" and ")} not shown`;
}
