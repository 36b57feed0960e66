import { randomUUID } from "node:crypto";
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import type { Call, MessageOf } from "./history.ts";
import { ModelFailed } from "./model-failed.ts";
import { addTokens, noTokens, tokensOf, type Tokens } from "./tokens.ts";

/** One answer of the model, put together from what was streamed. */
export class Answer {
  text = "";
  tokens: Tokens = noTokens;
  /** Why it ended; undefined until it has. */
  finish: string | undefined;
  readonly #calls: Call[] = [];

  /** Adds a piece, and says what was new in it. */
  take(chunk: ChatCompletionChunk): { readonly text: string; readonly thought: string; readonly spoke: boolean } {
    if (chunk.usage) this.tokens = addTokens(this.tokens, tokensOf(chunk.usage));
    const [choice] = chunk.choices;
    const delta: Delta = choice?.delta ?? {};
    this.finish = choice?.finish_reason ?? this.finish;
    const text = delta.content ?? "";
    const thought = delta.reasoning_content ?? delta.reasoning ?? "";
    this.text += text;
    for (const call of delta.tool_calls ?? []) this.#addToCall(call);
    return { text, thought, spoke: text !== "" || thought !== "" || (delta.tool_calls ?? []).length > 0 };
  }

  /** What goes into the history. Throws when the stream just stopped: half a call must not be carried out. */
  whole(): MessageOf<"assistant"> {
    if (this.finish === undefined) throw new ModelFailed("The connection was lost in the middle of an answer.");
    const calls = this.#calls.filter(Boolean);
    return { role: "assistant", content: this.text || null, ...(calls.length > 0 && { tool_calls: calls }) };
  }

  #addToCall({ index, id, function: called }: NonNullable<Delta["tool_calls"]>[number]): void {
    // Not every server names its calls; but a result must say which call it is of.
    const call = (this.#calls[index] ??= {
      id: id || `call_${randomUUID()}`,
      type: "function",
      function: { name: "", arguments: "" },
    });
    call.function.name += called?.name ?? "";
    call.function.arguments += called?.arguments ?? "";
  }
}

/** Thinking is not in the vendor's own API; servers that show it do so under one of these names. */
type Delta = Partial<ChatCompletionChunk.Choice.Delta> & {
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
};
