import type { QuotaReading, UsageReading } from "@fairlead/kit";
import type { z } from "zod";
import { toCodexExecUsageReading, toCodexUsageReading, type CodexExecUsage } from "../codex-exec/wire.ts";
import type { CodexState } from "./dialect.ts";
import type { CodexRateLimits } from "./wire.ts";

/** Converts the running totals of a thread. */
export function toThreadUsageReading(
  total: Readonly<Record<string, number>>,
  provider: string,
  model: string,
): UsageReading {
  const { inputTokens: input = 0, cachedInputTokens: cacheRead = 0, cacheWriteInputTokens: cacheWrite = 0 } = total;
  const { outputTokens: output = 0, reasoningOutputTokens: reasoning = 0 } = total;
  return {
    ...toCodexUsageReading({ input, cacheRead, cacheWrite, output, reasoning }, provider, model),
    spansModels: true,
  };
}

/** Converts the running totals of a thread in its transcript, so that the next ones that Codex reports continue them. */
export function toTranscriptUsageReading(
  { agentSessionId, lastProvider = "", model }: CodexState,
  usage: z.infer<typeof CodexExecUsage>,
  terminalModel: string | null,
): UsageReading {
  const reading = toCodexExecUsageReading(usage, terminalModel ?? model ?? "");
  return { ...reading, provider: lastProvider, counter: agentSessionId ?? "", spansModels: true };
}

/** The percentage from which on most of a quota is used. */
const warningPercent = 80;

/** Converts the quotas of a subscription. Without one, Codex reports none. */
export function toQuotaReadings({
  primary,
  secondary,
  rateLimitReachedType,
  credits,
}: z.infer<typeof CodexRateLimits>): QuotaReading[] {
  return [primary, secondary].flatMap((one): QuotaReading[] => {
    if (one == null) return [];
    const { usedPercent, windowDurationMins: minutes, resetsAt } = one;
    const isPaidFor = rateLimitReachedType == null && (credits?.hasCredits || credits?.unlimited);
    const isExhausted = !isPaidFor && (usedPercent >= 100 || (rateLimitReachedType != null && secondary == null));
    const status = isExhausted ? "exhausted" : usedPercent >= warningPercent ? "warning" : "available";
    return [{ status, window: minutes == null ? undefined : `${minutes} minutes`, usedPercent, resetsAt }];
  });
}
