import { setTimeout as wait } from "node:timers/promises";
import OpenAI from "openai";
import { Answer } from "./answer.ts";
import type { Message } from "./history.ts";
import { ModelFailed } from "./model-failed.ts";
import type { Settings } from "./settings.ts";
import type { Tool } from "./tool.ts";

export interface Inquiry {
  readonly system: string;
  readonly history: readonly Message[];
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** Told of each piece as it comes, in order. */
  hear(piece: { readonly text: string; readonly thought: string }): Promise<void>;
}

const tries = 5;
const firstPause = 500;

/** The model behind an API. It is asked again when its service stumbles, but not once it has begun to speak. */
export class Model {
  readonly #client: OpenAI;
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#client = new OpenAI({
      apiKey: settings.key ?? "none",
      baseURL: settings.baseUrl,
      // Its own tries know nothing of our deadline, nor does its timeout, which does not look at what is in a stream.
      maxRetries: 0,
      timeout: 2 ** 31 - 1,
      ...(settings.key === undefined && { defaultHeaders: { Authorization: null } }),
    });
  }

  /**
   * Resolves with the answer; with as much of it as there was, when the signal aborts it; and rejects with `ModelFailed`
   * when there is none within the deadline.
   */
  async ask(inquiry: Inquiry): Promise<Answer> {
    const began = performance.now();
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), this.#settings.retryDeadline);
    const signal = AbortSignal.any([inquiry.signal, silence.signal]);
    const answer = new Answer();
    let spoke = false;
    const attempt = async (): Promise<void> => {
      for await (const chunk of await this.#stream(inquiry, signal)) {
        const piece = answer.take(chunk);
        // An empty piece only keeps the line open: a model that sends nothing else is silent.
        if (!piece.spoke) continue;
        spoke = true;
        timer.refresh();
        await inquiry.hear(piece);
      }
      signal.throwIfAborted();
      answer.whole();
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
          const pause = failure.retryAfter ?? firstPause * 2 ** (count - 1);
          const late = performance.now() + pause > began + this.#settings.retryDeadline;
          if (spoke || !failure.passing || count === tries || late) throw failure;
          await wait(pause, undefined, { signal });
        }
      }
    } catch (error) {
      if (inquiry.signal.aborted) return answer;
      if (!silence.signal.aborted) throw error;
      const patience = `${this.#settings.retryDeadline} ms`;
      throw failure ?? new ModelFailed(`The model timed out: it has said nothing for ${patience}.`);
    } finally {
      clearTimeout(timer);
    }
  }

  async #stream(
    { system, history, tools }: Inquiry,
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
