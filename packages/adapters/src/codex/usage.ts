import type { UsageReading } from "@fairlead/kit";
import { toCodexUsageReading } from "../codex-exec/wire.ts";

/** Converts the running totals of a thread. */
export function toThreadUsageReading(
  total: Readonly<Record<string, number>>,
  provider: string,
  model: string,
): UsageReading {
  const { inputTokens: input = 0, cachedInputTokens: cacheRead = 0, cacheWriteInputTokens: cacheWrite = 0 } = total;
  const { outputTokens: output = 0, reasoningOutputTokens: reasoning = 0 } = total;
  return toCodexUsageReading({ input, cacheRead, cacheWrite, output, reasoning }, provider, model);
}
