import { RequestError, type PromptResponse, type StopReason } from "@agentclientprotocol/sdk";
import type { Event, EventOf } from "@fairlead/contract";

type Outcome = EventOf<"turn.ended">["outcome"];

const stopReasons: Readonly<Record<Exclude<Outcome, "failed">, StopReason>> = {
  completed: "end_turn",
  interrupted: "cancelled",
  limited: "max_turn_requests",
};

/** A message that was typed in the editor, until the agent has answered it. */
export class Prompt {
  readonly text: string;
  /** The turn that it became, once that is known. */
  turn: string | undefined;
  /** Whether the editor has called it off. */
  cancelled = false;
  readonly #over = Promise.withResolvers<PromptResponse>();
  readonly #usage: Pick<EventOf<"usage.reported">, "provider" | "model" | "tokens" | "cost">[] = [];
  #error: EventOf<"error.raised"> | undefined;

  constructor(text: string) {
    this.text = text;
    this.#over.promise.catch(() => {}); // it may fail before anybody waits for it
  }

  /** What to say to the editor in the end; it rejects with what went wrong. */
  get over(): Promise<PromptResponse> {
    return this.#over.promise;
  }

  /** Whether a turn that begins is this one's: the agent may take it up before we are told its name. */
  isTakenUpBy({ turn, input }: EventOf<"turn.started">): boolean {
    return this.turn === undefined ? this.text === input : this.turn === turn;
  }

  take({ turn, body }: Event): void {
    if (turn === null || turn !== this.turn) return;
    if (body.type === "error.raised") this.#error = body;
    if (body.type === "turn.ended") this.#end(body.outcome);
    if (body.type !== "usage.reported") return;
    const { provider, model, tokens, cost } = body;
    this.#usage.push({ provider, model, tokens, cost });
  }

  fail(error: unknown): void {
    if (this.cancelled) this.#end("interrupted");
    else this.#over.reject(error);
  }

  #end(outcome: Outcome): void {
    // Whatever came of it in the end: a prompt that was called off is answered so.
    const ending = this.cancelled ? "interrupted" : outcome;
    if (ending === "failed") return this.#over.reject(failure(this.#error));
    const _meta = { fairlead: { turn: this.turn, usage: this.#usage } };
    this.#over.resolve({ stopReason: stopReasons[ending], _meta });
  }
}

/** Not a `refusal`: that means that the model will not, and that the editor should forget what was said. */
function failure(error: EventOf<"error.raised"> | undefined): RequestError {
  const { category = "unknown", message = "The agent failed without saying why." } = error ?? {};
  return new RequestError(-32603, message, { category });
}
