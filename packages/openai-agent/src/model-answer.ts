import { randomUUID } from "node:crypto";
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import type { HistoryToolCall, HistoryMessageOf } from "./history-message.ts";
import { ModelFailed } from "./model-failed.ts";
import { addAcpTokenUsage, noTokenUsage, toAcpTokenUsage, type AcpTokenUsage } from "./acp-token-usage.ts";

/** One answer of the model, assembled from its stream. */
export class ModelAnswer {
  text = "";
  tokens: AcpTokenUsage = noTokenUsage;
  /** Why the answer ended; undefined until then. */
  finishReason: string | undefined;
  readonly #calls: HistoryToolCall[] = [];

  /** Adds a chunk. Returns the new content in it. */
  addChunk(chunk: ChatCompletionChunk): {
    readonly text: string;
    readonly reasoning: string;
    readonly hasContent: boolean;
  } {
    if (chunk.usage) this.tokens = addAcpTokenUsage(this.tokens, toAcpTokenUsage(chunk.usage));
    const [choice] = chunk.choices;
    const delta: Delta = choice?.delta ?? {};
    this.finishReason = choice?.finish_reason ?? this.finishReason;
    const text = delta.content ?? "";
    const reasoning = delta.reasoning_content ?? delta.reasoning ?? "";
    this.text += text;
    for (const call of delta.tool_calls ?? []) this.#addToCall(call);
    return { text, reasoning, hasContent: text !== "" || reasoning !== "" || (delta.tool_calls ?? []).length > 0 };
  }

  /** Returns the message for the history. Throws if the stream broke off: half a tool call must not run. */
  toMessage(): HistoryMessageOf<"assistant"> {
    if (this.finishReason === undefined) throw new ModelFailed("The connection was lost in the middle of an answer.");
    const calls = this.#calls.filter(Boolean);
    return { role: "assistant", content: this.text || null, ...(calls.length > 0 && { tool_calls: calls }) };
  }

  #addToCall({ index, id, function: functionDelta }: NonNullable<Delta["tool_calls"]>[number]): void {
    // Some servers send no call id, but a result needs one.
    const call = (this.#calls[index] ??= {
      id: id || `call_${randomUUID()}`,
      type: "function",
      function: { name: "", arguments: "" },
    });
    call.function.name += functionDelta?.name ?? "";
    call.function.arguments += functionDelta?.arguments ?? "";
  }
}

/** OpenAI's API has no field for reasoning. Servers that stream it use one of these names. */
type Delta = Partial<ChatCompletionChunk.Choice.Delta> & {
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
};
