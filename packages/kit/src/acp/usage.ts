import { zeroTokenCounts, type TokenCounts } from "@fairlead/contract";
import { reportUsage } from "../meter.ts";
import type { AcpQuirks } from "./acp-quirks.ts";
import type { AcpWriter } from "./acp-state.ts";
import type { PromptResult } from "./wire.ts";

type Usage = NonNullable<PromptResult["usage"]>;

/** Reports the usage of a turn, as far as the response to its prompt states it. Returns false if nothing was used. */
export function reportTurnUsage(
  writer: AcpWriter,
  quirks: AcpQuirks,
  result: Pick<PromptResult, "usage" | "_meta">,
): boolean {
  if (quirks.usage === "last-step") return true;
  const { provider } = writer.state;
  if (quirks.usage === "meta-quota") {
    const models = result._meta?.quota?.model_usage ?? [];
    for (const { model: name, token_count: count } of models) {
      const tokens = { ...zeroTokenCounts, uncached: count.input_tokens, output: count.output_tokens };
      reportUsage(writer, { kind: "delta", provider, model: name, tokens, cost: null });
    }
    return models.length > 0;
  }
  if (result.usage == null) return true;
  const model = writer.state.model ?? "unknown";
  reportUsage(writer, {
    kind: "delta",
    provider,
    model,
    tokens: tokensOf(result.usage),
    cost: takeCostIncrease(writer),
  });
  return result.usage.outputTokens > 0;
}

/** Splits a model name of the form `provider/model`. */
export function splitModelName({ provider }: AcpQuirks, name: string): { provider: string; model: string } {
  const slash = name.indexOf("/");
  if (provider !== undefined || slash < 0) return { provider: provider ?? "unknown", model: name };
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

function tokensOf(usage: Usage): TokenCounts {
  const { inputTokens: uncached, outputTokens, totalTokens } = usage;
  const { cachedReadTokens, cachedWriteTokens, thoughtTokens } = usage;
  const [cacheRead, cacheWrite, reasoning] = [cachedReadTokens ?? 0, cachedWriteTokens ?? 0, thoughtTokens ?? 0];
  // Some agents include reasoning in the output count and some do not. The total tells which.
  const isReasoningSeparate = totalTokens === uncached + cacheRead + cacheWrite + outputTokens + reasoning;
  return {
    uncached,
    cacheRead,
    cacheWrite,
    output: isReasoningSeparate ? outputTokens + reasoning : outputTokens,
    reasoning,
  };
}

/**
 * Returns the cost since the last report. After a resume the agent's running total may include earlier cost, so the
 * first total is only the baseline.
 */
function takeCostIncrease(writer: AcpWriter): number | null {
  const { before, now } = writer.state.cost;
  if (now === null) return null;
  writer.set({ cost: { before: now, now } });
  return before === null ? null : now - before;
}
