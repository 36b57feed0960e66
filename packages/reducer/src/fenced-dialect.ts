import { isOpen, openRequest } from "@fairlead/contract";
import type { Adapter, AgentCommand, Conversation, Observation, TranscriptPart, Transition } from "@fairlead/contract";
import { unrecognizedEvent } from "@fairlead/kit";
import { excessDecisions, tooManyDecisions } from "./decision-limits.ts";
import type { Emitter } from "./emitter.ts";
import { fenceAdapter, fenceTransition, type Fenced } from "./fence-adapter.ts";
import { missingOpening } from "./session-state.ts";

/** The dialect of one session. An exception of the adapter ends here, so that it cannot end the session. */
export class FencedDialect {
  readonly #adapter: Adapter;
  #conversation: Conversation | undefined;

  constructor(adapter: Adapter) {
    this.#adapter = adapter;
  }

  open(emitter: Emitter): Fenced<Conversation> {
    return fenceAdapter(() => this.#openConversation(emitter));
  }

  processLifetime(emitter: Emitter): Conversation["processLifetime"] {
    const opened = fenceAdapter(() => this.#openConversation(emitter).processLifetime);
    return "result" in opened ? opened.result : "session";
  }

  observesEmptyLines(emitter: Emitter): boolean {
    const opened = this.open(emitter);
    return "result" in opened && opened.result.observesEmptyLines === true;
  }

  /** Passes an observation to the dialect. One that makes it throw becomes an `unrecognized` event; returns false then. */
  observe(emitter: Emitter, observation: Observation): boolean {
    const observed = fenceTransition(() =>
      this.#openConversation(emitter).dialect.observe(emitter.state.dialectState, observation),
    );
    if ("result" in observed) this.apply(emitter, observed.result);
    else {
      const raw = observation.kind === "line" ? observation.text : JSON.stringify(observation);
      emitter.emit(unrecognizedEvent(raw, observed.failure));
    }
    return "result" in observed;
  }

  /** Computes what a command does, without effect: the caller may reject a command that makes the dialect throw. */
  compute(emitter: Emitter, command: AgentCommand): Fenced<Required<Transition<unknown>>> {
    return fenceTransition(() => this.#openConversation(emitter).dialect.handle(emitter.state.dialectState, command));
  }

  apply(emitter: Emitter, transition: Required<Transition<unknown>>): void {
    const { decisions } = emitter.state.ledger;
    this.#applyAll(emitter, transition);
    if (emitter.state.ledger.decisions !== decisions) this.#denyExcess(emitter);
  }

  #applyAll(emitter: Emitter, transition: Required<Transition<unknown>>): void {
    emitter.state = { ...emitter.state, dialectState: transition.state };
    for (const event of transition.events) emitter.emit(event);
    for (const delta of transition.deltas) emitter.emitDelta(delta);
    // Only an answer opens the gate of a sandbox.
    for (const effect of transition.effects) if (effect.type !== "network") emitter.enqueueEffect(effect);
  }

  readTranscript(emitter: Emitter, part: TranscriptPart): void {
    const { dialectState: state } = emitter.state;
    const read = fenceTransition(
      () => this.#openConversation(emitter).dialect.readTranscript?.(state, part) ?? { state },
    );
    if ("result" in read) this.#applyAll(emitter, { ...read.result, effects: [] });
    else emitter.emitOwn(unrecognizedEvent(part.lines.join("\n"), read.failure));
  }

  /** Denies requests above the limits. The agent gets an answer, because it waits for one without a limit. */
  #denyExcess(emitter: Emitter): void {
    for (const decision of excessDecisions(emitter.state.ledger)) {
      if (!isOpen(emitter.state.ledger, "decision", decision)) continue; // an earlier denial ended the turn
      const { input: shown, kind } = openRequest(emitter.state.ledger, decision) ?? {};
      const message = tooManyDecisions;
      const byRuntime = { kind: "runtime" } as const;
      if (kind === "network") {
        emitter.emitOwn({ type: "decision.resolved", decision, outcome: "denied", by: byRuntime, message });
        continue; // the agent does not know of it
      }
      // Without a message, which not every agent can receive. For the dialect, no person answers.
      const answer = { type: "deny", message: "", interrupt: false } as const;
      const by = { kind: "unattended" } as const;
      const denied = this.compute(emitter, { type: "answer", decision, answer, by, shown });
      const outcome = "result" in denied ? "denied" : "canceled";
      emitter.emitOwn({ type: "decision.resolved", decision, outcome, by: byRuntime, message });
      if ("result" in denied) this.apply(emitter, denied.result);
    }
  }

  #openConversation({ state }: Emitter): Conversation {
    if (state.opening === null) throw new TypeError(missingOpening);
    this.#conversation ??= this.#adapter.open(state.opening);
    return this.#conversation;
  }
}
