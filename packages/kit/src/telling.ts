import {
  advance,
  closingOf,
  openTurn,
  type AgentEvent,
  type Delta,
  type Draft,
  type Effect,
  type ErrorCode,
  type SpoolRecord,
} from "@fairlead/contract";
import type { FoldState } from "./fold-state.ts";

/** An effect under the id by which it is recognised when the spool is folded again. */
export interface Order {
  readonly id: string;
  /** The time of the record that caused it; alarms count from here. */
  readonly at: number;
  readonly effect: Effect;
}

/** What follows from one record. */
export interface Folded {
  /** Events and deltas, in the order in which they came about. */
  readonly told: readonly (Draft | Delta)[];
  readonly orders: readonly Order[];
  /** Set when the record was a wish that could not be granted. */
  readonly refusal: ErrorCode | null;
}

const longestRaw = 4000;

/** Collects what follows from one record, and sees to it that nothing unlawful gets into the journal. */
export class Telling {
  state: FoldState;
  readonly #record: SpoolRecord;
  readonly #told: (Draft | Delta)[] = [];
  #events = 0;
  readonly #orders: Order[] = [];
  #refusal: ErrorCode | null = null;
  #occurredAt: string | undefined;

  constructor(state: FoldState, record: SpoolRecord) {
    this.state = state;
    this.#record = record;
  }

  get folded(): Folded {
    return { told: this.#told, orders: this.#orders, refusal: this.#refusal };
  }

  /** Something that we say ourselves. */
  say(body: AgentEvent): void {
    this.tell(body, true);
  }

  /** Something that the agent said. What is unlawful is kept, as something that we did not understand. */
  tell(body: AgentEvent, synthetic = false): void {
    if (body.type === "turn.ended" && body.turn === openTurn(this.state.ledger)) {
      const tool = body.outcome === "interrupted" ? "interrupted" : "unfinished";
      for (const open of closingOf(this.state.ledger, "turn", { turn: body.outcome, tool })) this.say(open);
    }
    const { ledger, violation } = advance(this.state.ledger, body);
    if (violation === null) this.#write(body, ledger, synthetic);
    else if (body.type !== "unrecognized") {
      const raw = JSON.stringify(body).slice(0, longestRaw);
      this.tell({ type: "unrecognized", reason: `unlawful: ${violation}`, raw }, true);
    }
  }

  pass(delta: Delta): void {
    this.#told.push(delta);
  }

  order(effect: Effect): void {
    if (effect.type === "launch") this.state = { ...this.state, launching: true };
    this.#orders.push({ id: `${this.#record.seq}.${this.#orders.length}`, at: this.#record.at, effect });
  }

  refuse(code: ErrorCode): void {
    this.#refusal = code;
  }

  #write(body: AgentEvent, ledger: FoldState["ledger"], synthetic: boolean): void {
    const { opening } = this.state;
    if (opening === null) throw new TypeError("A spool begins with its opening.");
    const turn = body.type === "turn.ended" ? body.turn : openTurn(ledger);
    let { model, agentSessionId, erred, unfit, toldAt } = this.state;
    if (body.type === "session.changed") ({ model = model, agentSessionId = agentSessionId } = body);
    if (body.type === "turn.started") erred = unfit = false;
    if (body.type === "error.raised") [erred, unfit] = [true, turn === null];
    if (!synthetic) toldAt = this.#record.at;
    const changed =
      ledger !== this.state.ledger ||
      toldAt !== this.state.toldAt ||
      erred !== this.state.erred ||
      unfit !== this.state.unfit;
    if (changed || body.type === "session.changed") {
      this.state = { ...this.state, ledger, model, agentSessionId, erred, unfit, toldAt };
    }
    this.#told.push({
      id: `${opening.session}/${this.#record.seq}.${this.#events}`,
      session: opening.session,
      turn,
      occurredAt: (this.#occurredAt ??= new Date(this.#record.at).toISOString()),
      agent: opening.agent,
      model: this.state.model,
      spool: this.#record.seq,
      synthetic,
      body,
    });
    this.#events += 1;
  }
}
