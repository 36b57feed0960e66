import type { Tokens } from "@fairlead/contract";
import { metered } from "../meter.ts";
import type { AcpQuirks } from "./quirks.ts";
import type { Writer } from "./state.ts";
import type { Prompted } from "./wire.ts";

type Usage = NonNullable<Prompted["usage"]>;

/** Tells what a turn has used, as far as the answer to its prompt says. False when it says that nothing was used. */
export function usageTold(writer: Writer, quirks: AcpQuirks, said: Pick<Prompted, "usage" | "_meta">): boolean {
  if (quirks.usage === "last-step") return true;
  const { provider } = writer.state;
  if (quirks.usage === "meta-quota") {
    const models = said._meta?.quota?.model_usage ?? [];
    for (const { model: name, token_count: count } of models) {
      const tokens = { ...nothing, uncached: count.input_tokens, output: count.output_tokens };
      metered(writer, { kind: "delta", provider, model: name, tokens, cost: null });
    }
    return models.length > 0;
  }
  if (said.usage == null) return true;
  const model = writer.state.model ?? "unknown";
  metered(writer, { kind: "delta", provider, model, tokens: tokensOf(said.usage), cost: costSince(writer) });
  return said.usage.outputTokens > 0;
}

/** A model that is called `provider/model`, taken apart. */
export function servedBy({ provider }: AcpQuirks, name: string): { provider: string; model: string } {
  const slash = name.indexOf("/");
  if (provider !== undefined || slash < 0) return { provider: provider ?? "unknown", model: name };
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

const nothing: Tokens = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

function tokensOf(usage: Usage): Tokens {
  const { inputTokens: uncached, outputTokens, totalTokens } = usage;
  const { cachedReadTokens, cachedWriteTokens, thoughtTokens } = usage;
  const [cacheRead, cacheWrite, reasoning] = [cachedReadTokens ?? 0, cachedWriteTokens ?? 0, thoughtTokens ?? 0];
  // Thoughts may be counted within the output or beside it; the total tells which.
  const beside = totalTokens === uncached + cacheRead + cacheWrite + outputTokens + reasoning;
  return { uncached, cacheRead, cacheWrite, output: beside ? outputTokens + reasoning : outputTokens, reasoning };
}

/** Money since the last turn that was told of. The agent gives a running total, which may have begun before us. */
function costSince(writer: Writer): number | null {
  const { before, now } = writer.state.cost;
  if (now === null) return null;
  writer.set({ cost: { before: now, now } });
  return before === null ? null : now - before;
}
