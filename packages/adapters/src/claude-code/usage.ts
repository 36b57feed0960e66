import type { TokenCounts } from "@fairlead/contract";
import type { UsageReading } from "@fairlead/kit";
import { z } from "zod";
import type { UsageByModel } from "./terminal-usage.ts";
import { stripModelSuffix, type ClaudeCodeMessageOf, type ClaudeCodeModelUsage } from "./wire.ts";

const Count = z
  .int()
  .nonnegative()
  .nullish()
  .transform((count) => count ?? 0);
/** The usage of one answer of the model, as its API reports it. */
const AnswerUsage = z.looseObject({
  input_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation_input_tokens: Count,
  output_tokens: Count,
  output_tokens_details: z.looseObject({ thinking_tokens: Count }).nullish(),
});

/** Converts the usage of one answer. Null if a count is not valid. */
export function parseAnswerUsage(usage: unknown): TokenCounts | null {
  const parsed = AnswerUsage.safeParse(usage).data;
  if (parsed === undefined) return null;
  return {
    uncached: parsed.input_tokens,
    cacheRead: parsed.cache_read_input_tokens,
    cacheWrite: parsed.cache_creation_input_tokens,
    output: parsed.output_tokens,
    reasoning: parsed.output_tokens_details?.thinking_tokens ?? 0,
  };
}

/** Converts the usage of a turn, one reading per model. `answered` is what its answers have reported already. */
export function parseClaudeCodeUsage(
  result: ClaudeCodeMessageOf<"result">,
  answered: UsageByModel = [],
): UsageReading[] {
  const { model_usage_since_last_result: sinceLastResult, modelUsage: total = {} } = result;
  const readings = toReadings(sinceLastResult, total);
  // A provider can have another name for a model than its answers. Nothing may be counted twice because of that.
  const unnamed = answered.filter(({ model }) => !readings.some((reading) => reading.model === model));
  return readings.map((reading) => {
    const own = answered.find(({ model }) => model === reading.model) ?? unnamed.shift();
    return own === undefined ? reading : { ...reading, reported: own.tokens };
  });
}

function toReadings(
  sinceLastResult: ClaudeCodeMessageOf<"result">["model_usage_since_last_result"],
  total: NonNullable<ClaudeCodeMessageOf<"result">["modelUsage"]>,
): UsageReading[] {
  return Object.entries(sinceLastResult ?? total).map(([model, usage]) => ({
    kind: sinceLastResult === undefined ? "cumulative" : "delta",
    provider: "anthropic",
    model: stripModelSuffix(model) ?? model,
    tokens: toTokenCounts(usage),
    cost: usage.costUSD,
  }));
}

export function toTokenCounts(usage: z.infer<typeof ClaudeCodeModelUsage>): TokenCounts {
  return {
    uncached: usage.inputTokens,
    cacheRead: usage.cacheReadInputTokens,
    cacheWrite: usage.cacheCreationInputTokens,
    output: usage.outputTokens,
    reasoning: usage.thinkingTokens,
  };
}
