import type { CompletionUsage } from "openai/resources/completions";

/** Token counts of the Agent Client Protocol. `inputTokens` excludes tokens from a cache. */
export interface AcpTokenUsage {
  readonly inputTokens: number;
  readonly cachedReadTokens: number;
  readonly outputTokens: number;
  /** The part of `outputTokens` that was reasoning. */
  readonly thoughtTokens: number;
  readonly totalTokens: number;
}

export const noTokenUsage: AcpTokenUsage = {
  inputTokens: 0,
  cachedReadTokens: 0,
  outputTokens: 0,
  thoughtTokens: 0,
  totalTokens: 0,
};

/** Converts the API's token counts. The API includes cached tokens in the input. */
export function toAcpTokenUsage(usage: CompletionUsage): AcpTokenUsage {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    inputTokens: usage.prompt_tokens - cached,
    cachedReadTokens: cached,
    outputTokens: usage.completion_tokens,
    thoughtTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    totalTokens: usage.prompt_tokens + usage.completion_tokens,
  };
}

export function addAcpTokenUsage(left: AcpTokenUsage, right: AcpTokenUsage): AcpTokenUsage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cachedReadTokens: left.cachedReadTokens + right.cachedReadTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    thoughtTokens: left.thoughtTokens + right.thoughtTokens,
    totalTokens: left.totalTokens + right.totalTokens,
  };
}
