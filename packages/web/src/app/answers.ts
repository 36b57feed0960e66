import type { DecisionView, Fairlead } from "@fairlead/api";
import { type Answer, FairleadError } from "@fairlead/contract";
import type { CardStatus } from "../state/inbox/card-status.ts";
import { inboxKey } from "../state/inbox/inbox-list.ts";

export interface SentAnswer {
  readonly view: DecisionView;
  readonly status: Exclude<CardStatus, { type: "open" | "closed" }>;
}

/** A request in a session. One without a policy has no digest in its event. */
export interface LateRequest extends Pick<DecisionView, "session" | "decision"> {
  readonly digest?: string | undefined;
}

/** What answers need of the page: a client that does not retry, and whether the service can be reached. */
export interface AnswerRoute {
  readonly fairlead: Pick<Fairlead, "answer">;
  readonly isOpen: () => boolean;
  readonly untilOpen: (signal: AbortSignal) => Promise<void>;
}

/** After an attempt that failed although the service can be reached, in milliseconds. */
const retryDelay = 1000;

/**
 * The answers that this page gives. They outlive the views, because an answer that waits for the connection is sent when it
 * returns. React reads it as a store.
 */
export class Answers {
  #sent: ReadonlyMap<string, SentAnswer> = new Map();
  /** The answers that are neither sent nor withdrawn. */
  readonly #pending = new Map<string, AbortController>();
  readonly #listeners = new Set<() => void>();

  readonly getSnapshot = (): ReadonlyMap<string, SentAnswer> => this.#sent;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether an answer would be lost with the page. */
  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Sends an answer, until the service has answered or the person takes it back. All attempts have one key. */
  async give(route: AnswerRoute, view: DecisionView, answer: Answer): Promise<void> {
    const name = inboxKey(view);
    if (this.#pending.has(name)) return;
    const withdrawal = new AbortController();
    this.#pending.set(name, withdrawal);
    try {
      await this.#send(route, view, answer, withdrawal.signal);
    } finally {
      // After a withdrawal, another answer may be pending by now.
      if (this.#pending.get(name) === withdrawal) this.#pending.delete(name);
    }
  }

  /** Removes an answer that no attempt was made to send, or that was refused. */
  withdraw(view: DecisionView): void {
    const name = inboxKey(view);
    const status = this.#sent.get(name)?.status;
    if (status?.type === "sending" || (status?.type === "queued" && status.mayHaveArrived)) return;
    this.#pending.get(name)?.abort();
    this.#pending.delete(name);
    this.#set(view, null);
  }

  async #send(
    { fairlead, isOpen, untilOpen }: AnswerRoute,
    view: DecisionView,
    answer: Answer,
    signal: AbortSignal,
  ): Promise<void> {
    const key = crypto.randomUUID();
    for (let mayHaveArrived = false; ; mayHaveArrived = true) {
      if (mayHaveArrived) await new Promise((resolve) => setTimeout(resolve, retryDelay));
      if (!isOpen()) this.#set(view, { type: "queued", answer, key, mayHaveArrived });
      await untilOpen(signal);
      if (signal.aborted) return;
      this.#set(view, { type: "sending", answer });
      try {
        // The card stays `sending` until the overview says that the request is closed.
        return await fairlead.answer(view.session, view.decision, answer, { key });
      } catch (error) {
        // Another answer came first, or the agent withdrew the request. The card says which, from the journal.
        if (FairleadError.is(error, "decision-not-open")) return this.#set(view, { type: "late", answer });
        if (!FairleadError.is(error, "unavailable"))
          return this.#set(view, { type: "refused", reason: error instanceof Error ? error.message : String(error) });
        this.#set(view, { type: "queued", answer, key, mayHaveArrived: true });
      }
    }
  }

  #set(view: DecisionView, status: SentAnswer["status"] | null): void {
    const sent = new Map(this.#sent);
    if (status === null) sent.delete(inboxKey(view));
    else sent.set(inboxKey(view), { view, status });
    this.#sent = sent;
    for (const listener of this.#listeners) listener();
  }
}

/** Finds the answer that came too late for a request. An agent may use an id again, so a digest must be the same, too. */
export function findLateAnswer(sent: Iterable<SentAnswer>, { session, decision, digest }: LateRequest): Answer | null {
  for (const { view, status } of sent)
    if (
      status.type === "late" &&
      view.session === session &&
      view.decision === decision &&
      (digest === undefined || view.digest === digest)
    )
      return status.answer;
  return null;
}
