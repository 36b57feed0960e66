import { setTimeout as wait } from "node:timers/promises";
import OpenAI from "openai";
import { ModelAnswer } from "./model-answer.ts";
import type { HistoryMessage } from "./history-message.ts";
import { ModelFailed } from "./model-failed.ts";
import type { OpenAiAgentSettings } from "./settings.ts";
import type { AgentTool } from "./tools/agent-tool.ts";

export interface ModelRequest {
  readonly system: string;
  readonly history: readonly HistoryMessage[];
  readonly tools: readonly AgentTool[];
  readonly signal: AbortSignal;
  /** Called with each piece of the answer, in order. */
  onPiece(piece: { readonly text: string; readonly reasoning: string }): Promise<void>;
}

const maxAttempts = 5;
const firstDelay = 500;

/** A model behind a Chat Completions API. Retries transient failures, but not after the answer has started. */
export class ChatModel {
  readonly #client: OpenAI;
  readonly #settings: OpenAiAgentSettings;

  constructor(settings: OpenAiAgentSettings) {
    this.#settings = settings;
    this.#client = new OpenAI({
      apiKey: settings.apiKey ?? "none",
      baseURL: settings.baseUrl,
      // The library's retries ignore our deadline, and its timeout ignores the content of a stream.
      maxRetries: 0,
      timeout: 2 ** 31 - 1,
      ...(settings.apiKey === undefined && { defaultHeaders: { Authorization: null } }),
    });
  }

  /**
   * Sends a request. Resolves with the answer, or with the part of it that arrived before the signal aborted. Rejects with
   * `ModelFailed` when there is no answer within the deadline.
   */
  async ask(request: ModelRequest): Promise<ModelAnswer> {
    const startedAt = performance.now();
    const silenceTimeout = new AbortController();
    // Node calls back at once after a longer delay.
    const deadline = Math.min(this.#settings.retryDeadline, 2 ** 31 - 1);
    const timer = setTimeout(() => silenceTimeout.abort(), deadline);
    const signal = AbortSignal.any([request.signal, silenceTimeout.signal]);
    const answer = new ModelAnswer();
    let hasAnswered = false;
    const attempt = async (): Promise<void> => {
      for await (const chunk of await this.#stream(request, signal)) {
        const piece = answer.addChunk(chunk);
        // An empty piece only keeps the connection open. A model that sends nothing else counts as silent.
        if (!piece.hasContent) continue;
        hasAnswered = true;
        timer.refresh();
        await request.onPiece(piece);
      }
      signal.throwIfAborted();
      answer.toMessage();
    };

    let failure: ModelFailed | undefined;
    try {
      for (let count = 1; ; count += 1) {
        try {
          await attempt();
          return answer;
        } catch (error) {
          signal.throwIfAborted();
          failure = ModelFailed.from(error);
          const delay = failure.retryAfter ?? firstDelay * 2 ** (count - 1);
          const isTooLate = performance.now() + delay > startedAt + this.#settings.retryDeadline;
          if (hasAnswered || !failure.isTransient || count === maxAttempts || isTooLate) throw failure;
          await wait(delay, undefined, { signal });
        }
      }
    } catch (error) {
      if (request.signal.aborted) return answer;
      if (!silenceTimeout.signal.aborted) throw error;
      const timeout = `${this.#settings.retryDeadline} ms`;
      throw failure ?? new ModelFailed(`The model timed out: it sent nothing for ${timeout}.`);
    } finally {
      clearTimeout(timer);
    }
  }

  async #stream(
    { system, history, tools }: ModelRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<OpenAI.ChatCompletionChunk>> {
    const { model, temperature, reasoningEffort } = this.#settings;
    return await this.#client.chat.completions.create(
      {
        model,
        messages: [{ role: "system", content: system }, ...history],
        tools: tools.map(({ name, description, parameters }) => ({
          type: "function",
          function: { name, description, parameters },
        })),
        stream: true,
        stream_options: { include_usage: true },
        ...(temperature !== undefined && { temperature }),
        ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
      },
      { signal },
    );
  }
}
