import type { UsageReading } from "@fairlead/kit";
import { stripModelSuffix, type ClaudeCodeMessageOf } from "./wire.ts";

/** Converts the usage of a turn, one reading per model. */
export function parseClaudeCodeUsage(result: ClaudeCodeMessageOf<"result">): UsageReading[] {
  const { model_usage_since_last_result: sinceLastResult, modelUsage: total = {} } = result;
  return Object.entries(sinceLastResult ?? total).map(([model, usage]) => ({
    kind: sinceLastResult === undefined ? "cumulative" : "delta",
    provider: "anthropic",
    model: stripModelSuffix(model) ?? model,
    tokens: {
      uncached: usage.inputTokens,
      cacheRead: usage.cacheReadInputTokens,
      cacheWrite: usage.cacheCreationInputTokens,
      output: usage.outputTokens,
      reasoning: usage.thinkingTokens,
    },
    cost: usage.costUSD,
  }));
}
