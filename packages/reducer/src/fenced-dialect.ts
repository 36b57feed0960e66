import { isOpen, openRequest } from "@fairlead/contract";
import type {
  Adapter,
  AgentCommand,
  Conversation,
  EventOf,
  Observation,
  TranscriptPart,
  Transition,
} from "@fairlead/contract";
import { unrecognizedEvent } from "@fairlead/kit";
import { answerForAgent } from "./capability-rejections.ts";
import { deadlinePassed, decisionDeadlines } from "./decision-deadlines.ts";
import { excessDecisions, tooManyDecisions } from "./decision-limits.ts";
import type { Emitter } from "./emitter.ts";
import { fenceAdapter, fenceTransition, type Fenced } from "./fence-adapter.ts";
import { hostTools } from "./host-tools.ts";
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

  /** Begins another conversation, with the opening of the state. */
  reopen(emitter: Emitter): void {
    this.#conversation = undefined;
    const opened = this.open(emitter);
    if ("result" in opened) emitter.state = { ...emitter.state, dialectState: opened.result.dialect.initialState };
    else emitter.emitOwn(unrecognizedEvent("", opened.failure));
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
    for (const effect of transition.effects) {
      if (effect.type === "use") hostTools.requested(emitter, effect);
      // Only an answer opens the gate of a sandbox.
      else if (effect.type !== "network") emitter.enqueueEffect(effect);
    }
  }

  readTranscript(emitter: Emitter, part: TranscriptPart): void {
    const { dialectState: state } = emitter.state;
    const read = fenceTransition(() =>
      fromTranscript(this.#openConversation(emitter).dialect.readTranscript?.(state, part) ?? { state }),
    );
    if ("result" in read) this.#applyAll(emitter, { ...read.result, effects: [] });
    else emitter.emitOwn(unrecognizedEvent(part.lines.join("\n"), read.failure));
  }

  /** Denies the request whose deadline an alarm reports, if it is still open. */
  denyLate(emitter: Emitter, alarm: string): void {
    const decision = decisionDeadlines.findDecision(emitter, alarm);
    const resolution = { outcome: "timed-out", by: { kind: "deadline" }, message: deadlinePassed } as const;
    if (decision !== null) this.#deny(emitter, decision, resolution);
  }

  /** Denies requests above the limits. */
  #denyExcess(emitter: Emitter): void {
    const resolution = { outcome: "denied", by: { kind: "runtime" }, message: tooManyDecisions } as const;
    for (const decision of excessDecisions(emitter.state.ledger)) this.#deny(emitter, decision, resolution);
  }

  /** Denies a request that nobody answers. The agent gets an answer, because it waits for one without a limit. */
  #deny(
    emitter: Emitter,
    decision: string,
    resolution: Pick<EventOf<"decision.resolved">, "outcome" | "by" | "message">,
  ): void {
    if (!isOpen(emitter.state.ledger, "decision", decision)) return; // an earlier denial ended the turn
    const resolved = { type: "decision.resolved", decision, ...resolution } as const;
    // The agent does not know of a connection. The gate gets its answer when the record is reduced.
    if (openRequest(emitter.state.ledger, decision)?.kind === "network") return emitter.emitOwn(resolved);
    if (hostTools.isDecision(emitter, decision)) return emitter.emitOwn(resolved);
    // For the dialect, no person answers.
    const command = {
      type: "answer",
      decision,
      answer: { type: "deny", message: resolution.message ?? "", interrupt: false },
      by: { kind: "unattended" },
    } as const;
    const denied = this.compute(emitter, answerForAgent(emitter.state, command, this.#adapter.manifest));
    emitter.emitOwn("result" in denied ? resolved : { ...resolved, outcome: "canceled" });
    if ("result" in denied) this.apply(emitter, denied.result);
  }

  #openConversation({ state }: Emitter): Conversation {
    if (state.opening === null) throw new TypeError(missingOpening);
    this.#conversation ??= this.#adapter.open(state.opening);
    return this.#conversation;
  }
}

/** Marks the files that changed in the agent's own terminal. */
function fromTranscript(transition: Transition<unknown>): Transition<unknown> {
  const events = transition.events?.map((event) =>
    event.type === "file.changed" ? { ...event, source: "transcript" as const } : event,
  );
  return { ...transition, ...(events && { events }) };
}
