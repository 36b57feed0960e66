import { RequestError, type PromptResponse, type StopReason } from "@agentclientprotocol/sdk";
import type { Event, EventOf } from "@fairlead/contract";

type TurnOutcome = EventOf<"turn.ended">["outcome"];

const stopReasons: Readonly<Record<Exclude<TurnOutcome, "failed">, StopReason>> = {
  completed: "end_turn",
  interrupted: "cancelled",
  limited: "max_turn_requests",
};

/** A prompt from the editor that the agent has not finished answering. */
export class PendingPrompt {
  readonly text: string;
  /** The turn that the prompt started, once it is known. */
  turn: string | undefined;
  /** Whether the editor has canceled the prompt. */
  isCanceled = false;
  readonly #response = Promise.withResolvers<PromptResponse>();
  readonly #usage: Pick<EventOf<"usage.reported">, "provider" | "model" | "tokens" | "cost">[] = [];
  #error: EventOf<"error.raised"> | undefined;

  constructor(text: string) {
    this.text = text;
    this.#response.promise.catch(() => {}); // avoids an unhandled rejection if it fails before `response` is awaited
  }

  /** Resolves with the response for the editor, or rejects with the agent's error. */
  get response(): Promise<PromptResponse> {
    return this.#response.promise;
  }

  /**
   * Whether a queued or started turn belongs to this prompt. Its event may arrive before `send` returns its id; then the
   * text decides.
   */
  matchesTurn(turn: string, text: string): boolean {
    return this.turn === undefined ? this.text === text : this.turn === turn;
  }

  handleEvent({ turn, body }: Event): void {
    if (body.type === "message.returned" && body.turn === this.turn) return this.fail(notProcessed(body));
    if (turn === null || turn !== this.turn) return;
    if (body.type === "error.raised") this.#error = body;
    if (body.type === "turn.ended") this.#complete(body.outcome);
    if (body.type !== "usage.reported") return;
    const { provider, model, tokens, cost } = body;
    this.#usage.push({ provider, model, tokens, cost });
  }

  fail(error: unknown): void {
    if (this.isCanceled) this.#complete("interrupted");
    else this.#response.reject(error);
  }

  #complete(outcome: TurnOutcome): void {
    // The protocol requires this answer for a canceled prompt, whatever the outcome of the turn.
    const finalOutcome = this.isCanceled ? "interrupted" : outcome;
    if (finalOutcome === "failed") return this.#response.reject(toRequestError(this.#error));
    const _meta = { fairlead: { turn: this.turn, usage: this.#usage } };
    this.#response.resolve({ stopReason: stopReasons[finalOutcome], _meta });
  }
}

function notProcessed({ reason }: EventOf<"message.returned">): RequestError {
  return new RequestError(-32603, "The message was not processed. Send it again.", { reason });
}

/** A failure is not a `refusal`: that means that the model declined, and the editor would drop the prompt. */
function toRequestError(error: EventOf<"error.raised"> | undefined): RequestError {
  const { category = "unknown", message = "The agent failed and gave no reason." } = error ?? {};
  return new RequestError(-32603, message, { category });
}
