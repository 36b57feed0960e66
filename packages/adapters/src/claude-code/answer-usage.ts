import { emptyKeyedMap, keyedMap, zeroTokenCounts, type KeyedMap, type TokenCounts } from "@fairlead/contract";
import { reportUsage, type TransitionWriter } from "@fairlead/kit";
import type { ClaudeCodeState } from "./dialect.ts";
import { addModelUsage } from "./terminal-usage.ts";
import { parseAnswerUsage } from "./usage.ts";
import { stripModelSuffix, type ClaudeCodeMessageOf } from "./wire.ts";

/** An answer of the model. */
interface Answer {
  readonly id: string;
  readonly model: string;
  /** What is known of its usage. */
  readonly known: TokenCounts;
  /** What is reported of it. */
  readonly reported: TokenCounts;
}

/** The newest answers: the agent's own under an empty key, and those of sub-agents under their calls. */
export type NewestAnswers = KeyedMap<Answer>;

type Writer = TransitionWriter<ClaudeCodeState>;

/**
 * Reports what an answer has used when it ends, so that a limit is kept within a turn. The result of the turn repeats it,
 * with the cost. Usage that is not valid is left to the result.
 */
export function reportStreamedAnswer(
  writer: Writer,
  { event, parent_tool_use_id: parent }: ClaudeCodeMessageOf<"stream_event">,
): void {
  const key = parent ?? "";
  if (event.type === "message_start") {
    const { model, usage } = event.message ?? {};
    const known = parseAnswerUsage(usage) ?? zeroTokenCounts;
    setAnswer(writer, key, { id: "", model: nameModel(writer, model), known, reported: zeroTokenCounts });
  }
  // An answer that was cut off has no reason. The result does not count it.
  if (event.type !== "message_delta" || event.delta?.stop_reason == null) return;
  countUsage(writer, key, event.usage);
  reportNewestAnswer(writer, key);
}

/**
 * Reads what an answer of a sub-agent has used. Such an answer comes in whole parts, which do not tell all of its output. It
 * is reported when it is complete: with the next answer, or the result of its call.
 */
export function readSubAgentAnswer(
  writer: Writer,
  { message, parent_tool_use_id: parent }: ClaudeCodeMessageOf<"assistant">,
): void {
  const { id, model, usage } = message;
  if (parent == null || id === undefined) return;
  if (newestAnswer(writer, parent)?.id !== id) {
    reportNewestAnswer(writer, parent);
    setAnswer(writer, parent, {
      id,
      model: nameModel(writer, model),
      known: zeroTokenCounts,
      reported: zeroTokenCounts,
    });
  }
  countUsage(writer, parent, usage);
}

/** Reports what the newest answer of the agent, or of the sub-agent of a call, has used and is not reported yet. */
export function reportNewestAnswer(writer: Writer, key: string): void {
  const answer = newestAnswer(writer, key);
  if (answer === undefined) return;
  const { model, known, reported } = answer;
  const tokens = combineCounts(known, reported, (count, before) => count - before);
  setAnswer(writer, key, { ...answer, reported: known });
  writer.set({ answeredUsage: addModelUsage(writer.state.answeredUsage ?? [], model, tokens) });
  reportUsage(writer, { kind: "delta", provider: "anthropic", model, tokens, cost: null });
}

/**
 * Keeps the usage of answers whose turn has no result, because its process ended. The totals of the conversation, which
 * the agent's own terminal stores, include it.
 */
export function keepUnfinishedAnswers(writer: Writer): void {
  const { answeredUsage = [], terminalUsage = [] } = writer.state;
  if (answeredUsage.length === 0) return;
  const kept = answeredUsage.reduce((sum, { model, tokens }) => addModelUsage(sum, model, tokens), terminalUsage);
  writer.set({ terminalUsage: kept, ...noAnswers });
}

/** The state after the result of a turn. */
export const noAnswers: Pick<ClaudeCodeState, "answers" | "answeredUsage"> = {
  answers: emptyKeyedMap,
  answeredUsage: [],
};

/** Adds what is known of the newest answer. Some reports repeat only the counts that changed. */
function countUsage(writer: Writer, key: string, usage: unknown): void {
  const answer = newestAnswer(writer, key);
  const counts = parseAnswerUsage(usage);
  if (answer === undefined || counts === null) return;
  setAnswer(writer, key, { ...answer, known: combineCounts(answer.known, counts, Math.max) });
}

function newestAnswer(writer: Writer, key: string): Answer | undefined {
  return keyedMap.get(writer.state.answers ?? emptyKeyedMap, key);
}

function setAnswer(writer: Writer, key: string, answer: Answer): void {
  writer.set({ answers: keyedMap.set(writer.state.answers ?? emptyKeyedMap, key, answer) });
}

function nameModel(writer: Writer, model: string | undefined): string {
  return stripModelSuffix(model) ?? writer.state.model ?? "unknown";
}

function combineCounts(
  one: TokenCounts,
  other: TokenCounts,
  combine: (one: number, other: number) => number,
): TokenCounts {
  return {
    uncached: combine(one.uncached, other.uncached),
    cacheRead: combine(one.cacheRead, other.cacheRead),
    cacheWrite: combine(one.cacheWrite, other.cacheWrite),
    output: combine(one.output, other.output),
    reasoning: combine(one.reasoning, other.reasoning),
  };
}
