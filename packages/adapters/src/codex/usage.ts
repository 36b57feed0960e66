import type { UsageReading } from "@fairlead/kit";
import type { z } from "zod";
import { toCodexExecUsageReading, toCodexUsageReading, type CodexExecUsage } from "../codex-exec/wire.ts";
import type { CodexState } from "./dialect.ts";

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
