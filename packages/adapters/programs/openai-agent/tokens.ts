import type { CompletionUsage } from "openai/resources/completions";

/** Tokens in the words of the Agent Client Protocol: `inputTokens` are those that did not come from a cache. */
export interface Tokens {
  readonly inputTokens: number;
  readonly cachedReadTokens: number;
  readonly outputTokens: number;
  /** The part of `outputTokens` that was thinking. */
  readonly thoughtTokens: number;
  readonly totalTokens: number;
}

export const noTokens: Tokens = {
  inputTokens: 0,
  cachedReadTokens: 0,
  outputTokens: 0,
  thoughtTokens: 0,
  totalTokens: 0,
};

/** The API counts what it read from its cache as part of the input. */
export function tokensOf(usage: CompletionUsage): Tokens {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    inputTokens: usage.prompt_tokens - cached,
    cachedReadTokens: cached,
    outputTokens: usage.completion_tokens,
    thoughtTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    totalTokens: usage.prompt_tokens + usage.completion_tokens,
  };
}

export function addTokens(one: Tokens, other: Tokens): Tokens {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedReadTokens: one.cachedReadTokens + other.cachedReadTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    thoughtTokens: one.thoughtTokens + other.thoughtTokens,
    totalTokens: one.totalTokens + other.totalTokens,
  };
}
