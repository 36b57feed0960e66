import type { TokenCounts } from "@fairlead/contract";
import type { UsageReading } from "@fairlead/kit";
import type { z } from "zod";
import { stripModelSuffix, type ClaudeCodeMessageOf, type ClaudeCodeModelUsage } from "./wire.ts";

/** Converts the usage of a turn, one reading per model. */
export function parseClaudeCodeUsage(result: ClaudeCodeMessageOf<"result">): UsageReading[] {
  const { model_usage_since_last_result: sinceLastResult, modelUsage: total = {} } = result;
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
