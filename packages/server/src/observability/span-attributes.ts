/**
 * The attributes of spans: those of OpenTelemetry's conventions for generative AI, and two that only Fairlead has.
 * `docs/build/observability.md` has a row for each, which a test checks.
 */
export const spanAttributes = {
  operation: "gen_ai.operation.name",
  agent: "gen_ai.agent.name",
  provider: "gen_ai.provider.name",
  conversation: "gen_ai.conversation.id",
  model: "gen_ai.request.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  tool: "gen_ai.tool.name",
  call: "gen_ai.tool.call.id",
  error: "error.type",
  turn: "fairlead.turn.id",
  outcome: "fairlead.turn.outcome",
  // Only with FAIRLEAD_OTEL_CONTENT=1.
  input: "gen_ai.input.messages",
  output: "gen_ai.output.messages",
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
} as const;
