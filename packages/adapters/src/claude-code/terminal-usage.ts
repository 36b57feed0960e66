import { addTokenCounts, TokenCounts, zeroTokenCounts } from "@fairlead/contract";
import type { TransitionWriter } from "@fairlead/kit";
import type { z } from "zod";
import type { ClaudeCodeState } from "./dialect.ts";
import { parseAnswerUsage, toTokenCounts } from "./usage.ts";
import { stripModelSuffix, type ClaudeCodeModelUsage } from "./wire.ts";

/** The model's last answer in the terminal. Its usage is reported when it is complete. */
export interface TerminalAnswer {
  readonly id: string;
  readonly model: string;
  readonly tokens: TokenCounts;
  readonly stopReason: string | null;
  readonly isReported: boolean;
}

/** The usage of a conversation by model. A list, because the names are the agent's. */
export type UsageByModel = readonly {
  readonly model: string;
  readonly tokens: TokenCounts;
  /** In US dollars. */
  readonly cost: number;
}[];

type Writer = TransitionWriter<ClaudeCodeState>;

interface AnswerPart {
  readonly id: string;
  readonly model: string;
  readonly stop_reason?: string | null | undefined;
  readonly usage: unknown;
}

/** Reads the usage of a part of an answer. Each part repeats the usage so far, so only the last one counts. */
export function usageRead(writer: Writer, { id, model, stop_reason: stopReason, usage }: AnswerPart): void {
  const before = writer.state.terminalAnswer;
  if (before?.id !== id) answerCounted(writer);
  const parsed = parseAnswerUsage(usage);
  if (parsed === null) writer.unrecognized(JSON.stringify(usage) ?? "", "a token count is not valid");
  const tokens = parsed ?? zeroTokenCounts;
  const isReported = parsed === null || (before?.id === id && before.isReported);
  writer.set({ terminalAnswer: { id, model, tokens, stopReason: stopReason ?? null, isReported } });
}

/** Reports the usage of the last answer, once. Its cost is not known yet. */
export function answerCounted(writer: Writer): void {
  const { terminalAnswer: answer, terminalUsage = [] } = writer.state;
  if (!answer || answer.isReported) return;
  const { model, tokens } = answer;
  writer.set({
    terminalAnswer: { ...answer, isReported: true },
    terminalUsage: addModelUsage(terminalUsage, model, tokens),
  });
  report(writer, model, tokens, null);
}

/**
 * Reads the totals of the conversation, which Claude Code writes when the terminal ends. They contain the cost, and the
 * usage of requests that are in no message: of sub-agents, compactions and titles. What is not reported yet is reported.
 */
export function costStateRead(
  writer: Writer,
  modelUsage: Readonly<Record<string, z.infer<typeof ClaudeCodeModelUsage>>>,
): void {
  const { conversationUsage: before, terminalUsage: reported = [] } = writer.state;
  const totals = toUsageByModel(modelUsage);
  writer.set({ conversationUsage: totals, terminalUsage: [] });
  // Without the totals from before the terminal, nothing says which part of these is the terminal's.
  if (before === undefined) return;
  for (const { model, tokens, cost } of totals) {
    const earlier = before.find((one) => one.model === model);
    const counted = reported.find((one) => one.model === model);
    const known = addTokenCounts(earlier?.tokens ?? zeroTokenCounts, counted?.tokens ?? zeroTokenCounts);
    const rest = subtract(tokens, known);
    const amount = cost - (earlier?.cost ?? 0);
    const isConsistent = amount >= 0 && Object.values(rest).every((count) => count >= 0);
    if (isConsistent && amount > 0) report(writer, model, rest, amount);
  }
}

/** Converts totals by model. Leaves out a model with a count that is not valid. */
export function toUsageByModel(
  modelUsage: Readonly<Record<string, z.infer<typeof ClaudeCodeModelUsage>>>,
): UsageByModel {
  return Object.entries(modelUsage)
    .map(([model, usage]) => ({
      model: stripModelSuffix(model) ?? model,
      tokens: toTokenCounts(usage),
      cost: usage.costUSD,
    }))
    .filter(({ tokens }) => TokenCounts.safeParse(tokens).success);
}

/** Adds tokens to the usage of a model. */
export function addModelUsage(usage: UsageByModel, model: string, tokens: TokenCounts): UsageByModel {
  const before = usage.find((one) => one.model === model);
  const sum = addTokenCounts(before?.tokens ?? zeroTokenCounts, tokens);
  return [...usage.filter((one) => one.model !== model), { model, tokens: sum, cost: 0 }];
}

function subtract(tokens: TokenCounts, other: TokenCounts): TokenCounts {
  return {
    uncached: tokens.uncached - other.uncached,
    cacheRead: tokens.cacheRead - other.cacheRead,
    cacheWrite: tokens.cacheWrite - other.cacheWrite,
    output: tokens.output - other.output,
    reasoning: tokens.reasoning - other.reasoning,
  };
}

function report(writer: Writer, model: string, tokens: TokenCounts, amount: number | null): void {
  writer.event({
    type: "usage.reported",
    provider: "anthropic",
    model,
    tokens,
    cost: amount === null ? null : { amount, currency: "USD" },
    provenance: amount === null ? "reported" : "derived",
  });
}
