import {
  advance,
  closingEvents,
  enforcementOf,
  openTurn,
  type AgentEvent,
  type Delta,
  type EventDraft,
  type EventOf,
  type Effect,
  type ErrorCode,
  type SpoolRecord,
} from "@fairlead/contract";
import { unrecognizedEvent } from "@fairlead/kit";
import { sessionBrief } from "./brief/session-brief.ts";
import { checkEvent, toJsonText } from "./check-event.ts";
import { decisionDeadlines } from "./decision-deadlines.ts";
import { hostTools } from "./host-tools.ts";
import { parking } from "./limits/parking.ts";
import { limitEvent } from "./limit-event.ts";
import { addReportedUsage } from "./limits/spending-limits.ts";
import { readRequest, type RequestReader } from "./read-request.ts";
import { observedFiles } from "./observed-files.ts";
import { missingOpening, type SessionState } from "./session-state.ts";

/** An effect with an id that is the same in every replay of the spool, so that the keeper runs it once. */
export interface PendingEffect {
  readonly id: string;
  /** Time of the record that caused it. Alarms count from it. */
  readonly at: number;
  readonly effect: Effect;
}

/** Result of reducing one record. */
export interface Reduction {
  /** Events and deltas in order. */
  readonly outputs: readonly (EventDraft | Delta)[];
  readonly pendingEffects: readonly PendingEffect[];
  /** Set if the record was a command that the reducer rejected. */
  readonly rejection: ErrorCode | null;
}

/** How the reason of an `unrecognized` event begins if a dialect's event breaks its schema or the law. */
export const invalidEventPrefix = "invalid event: ";
export const unlawfulEventPrefix = "unlawful: ";

/** Collects the events, deltas and effects of one record, and keeps invalid and unlawful events out of the journal. */
export class Emitter {
  state: SessionState;
  readonly #record: SpoolRecord;
  readonly #reader: RequestReader | undefined;
  readonly #outputs: (EventDraft | Delta)[] = [];
  #eventCount = 0;
  readonly #pendingEffects: PendingEffect[] = [];
  #rejection: ErrorCode | null = null;
  #occurredAt: string | undefined;

  constructor(state: SessionState, record: SpoolRecord, reader?: RequestReader) {
    this.state = state;
    this.#record = record;
    this.#reader = reader;
  }

  /** The record that is reduced. */
  get record(): SpoolRecord {
    return this.#record;
  }

  get reduction(): Reduction {
    return { outputs: this.#outputs, pendingEffects: this.#pendingEffects, rejection: this.#rejection };
  }

  /** Emits an event of the reducer itself. */
  emitOwn(body: AgentEvent): void {
    this.emit(body, true);
  }

  /** Emits an event of the agent. An invalid or unlawful event becomes an `unrecognized` event, so that it is not lost. */
  emit(unchecked: AgentEvent, synthetic = false): void {
    const checked = checkEvent(unchecked);
    if ("problem" in checked)
      return this.emitOwn(unrecognizedEvent(toJsonText(unchecked), `${invalidEventPrefix}${checked.problem}`));
    const event = checked.event.type === "decision.requested" ? this.#readRequest(checked.event) : checked.event;
    for (const body of limitEvent(this.state.ledger, this.#attributeInterrupt(event)))
      this.#emitLawful(body, synthetic);
  }

  #readRequest(request: EventOf<"decision.requested">): AgentEvent {
    const { opening, grants } = this.state;
    const timeAfter = (milliseconds: number): string => toTimestamp(this.#record.at + milliseconds);
    return readRequest(request, { opening, grants, timeAfter, reader: this.#reader });
  }

  #emitLawful(checked: AgentEvent, synthetic: boolean): void {
    const body =
      checked.type === "tool.started"
        ? { ...checked, enforcement: enforcementOf(this.state.ledger, checked.call) }
        : checked;
    if (body.type === "turn.ended" && body.turn === openTurn(this.state.ledger)) {
      const isInterrupted = body.outcome === "interrupted" || this.state.interruptedBy?.kind === "limit";
      const toolReason = isInterrupted ? "interrupted" : "unfinished";
      const outcomes = { turn: body.outcome, tool: toolReason, message: null } as const;
      for (const closingEvent of closingEvents(this.state.ledger, "turn", outcomes)) this.emitOwn(closingEvent);
    }
    const { ledger, violation } = advance(this.state.ledger, body);
    if (violation === null) this.#appendEvent(body, ledger, synthetic);
    else if (body.type !== "unrecognized") {
      this.emitOwn(unrecognizedEvent(JSON.stringify(body), `${unlawfulEventPrefix}${violation}`));
    }
  }

  /**
   * Names the sender of the command that interrupted the turn, where the agent or the end of the turn followed it. A turn
   * that a limit interrupted was limited.
   */
  #attributeInterrupt(body: AgentEvent): AgentEvent {
    const { interruptedBy } = this.state;
    if (body.type === "turn.ended" && body.outcome === "interrupted" && interruptedBy?.kind === "limit")
      return { ...body, outcome: "limited" };
    if (body.type !== "decision.resolved" || body.outcome !== "canceled" || interruptedBy === null) return body;
    return { ...body, by: interruptedBy };
  }

  /** Applies an event of the log: it is lawful and complete, and nothing follows from it that the log does not have. */
  replay(body: AgentEvent, synthetic: boolean): void {
    this.#appendEvent(body, advance(this.state.ledger, body).ledger, synthetic);
  }

  emitDelta(delta: Delta): void {
    this.#outputs.push(delta);
  }

  /** Adds an effect under an id that follows from the record and the effect's position. */
  enqueueEffect(effect: Effect): void {
    if (effect.type === "launch") this.state = { ...this.state, launching: true, exiting: false };
    if (effect.type === "kill" || effect.type === "close-stdin") this.state = { ...this.state, exiting: true };
    this.#pendingEffects.push({
      id: `${this.#record.seq}.${this.#pendingEffects.length}`,
      at: this.#record.at,
      effect,
    });
  }

  /** Runs an action and drops the effects that it requests. */
  withoutEffects(action: () => void): void {
    const { length } = this.#pendingEffects;
    action();
    this.#pendingEffects.length = length;
    this.state = { ...this.state, launching: false, exiting: false };
  }

  reject(code: ErrorCode): void {
    this.#rejection = code;
  }

  #appendEvent(body: AgentEvent, ledger: SessionState["ledger"], synthetic: boolean): void {
    const { opening } = this.state;
    if (opening === null) throw new TypeError(missingOpening);
    const turn = body.type === "turn.ended" ? body.turn : openTurn(ledger);
    let { model, agentSessionId, hasError, isUnusable, lastEventAt, interruptedBy } = this.state;
    if (body.type === "session.changed") ({ model = model, agentSessionId = agentSessionId } = body);
    if (body.type === "usage.reported")
      this.state = { ...this.state, spending: addReportedUsage(this.state.spending, body) };
    if (body.type === "turn.started") {
      hasError = isUnusable = false;
      const waitingMessages = this.state.waitingMessages.filter((message) => message.turn !== body.turn);
      this.state = { ...this.state, waitingMessages, isNew: false };
    }
    // What a person says in the agent's own terminal is in no event of most agents.
    if (body.type === "lead.changed" && body.lead === "human") this.state = { ...this.state, isNew: false };
    if (body.type === "turn.ended") this.state = { ...this.state, remembersTurn: true };
    if (body.type === "turn.started" || body.type === "decision.resolved")
      this.state = { ...this.state, awaitingOutputSince: this.#record.at };
    if (body.type === "turn.ended") interruptedBy = null;
    if (body.type === "file.changed") this.state = observedFiles.addReport(this.state, body, this.#record.seq);
    if (body.type === "error.raised") [hasError, isUnusable] = [true, turn === null];
    if (!synthetic) lastEventAt = this.#record.at;
    const changed =
      ledger !== this.state.ledger ||
      lastEventAt !== this.state.lastEventAt ||
      hasError !== this.state.hasError ||
      isUnusable !== this.state.isUnusable;
    if (changed || body.type === "session.changed") {
      this.state = { ...this.state, ledger, model, agentSessionId, hasError, isUnusable, lastEventAt, interruptedBy };
    }
    this.#outputs.push({
      id: `${opening.session}/${this.#record.seq}.${this.#eventCount}`,
      session: opening.session,
      turn,
      occurredAt: (this.#occurredAt ??= toTimestamp(this.#record.at)),
      agent: opening.agent,
      model: this.state.model,
      spool: this.#record.seq,
      synthetic,
      body,
    });
    hostTools.follow(this, body);
    parking.follow(this, body);
    sessionBrief.follow(this, body);
    decisionDeadlines.follow(this, body, `${this.#record.seq}.${this.#eventCount}`);
    this.#eventCount += 1;
  }
}

/** The last instant that an event's schema accepts. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Formats the time of a record. A spool can carry times for which a date throws or has a year of six digits. */
function toTimestamp(at: number): string {
  return new Date(Math.min(at, lastInstant)).toISOString();
}
