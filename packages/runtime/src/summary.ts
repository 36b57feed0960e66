import { advance, emptyLedger, isOpen, type Event, type Ledger } from "@fairlead/contract";
import type { Liveness } from "./liveness.ts";

/** A session in a line, as a fold over its events. */
export interface Summary {
  readonly session: string;
  readonly adapter: string;
  readonly workspace: string;
  readonly model: string | null;
  /** What it is doing, by evidence alone; `lost` means that its keeper is gone and nobody has written down its end. */
  readonly state: Liveness | "paused" | "ended" | "lost";
  /** What keeps its processes together, if that is known. */
  readonly containment: "namespace" | "descendants" | null;
  readonly reason: string | null;
  readonly native: string | null;
  /** The first message. */
  readonly title: string;
  readonly turns: number;
  readonly startedAt: string;
  readonly lastAt: string;
  /** In US dollars; null when the agent reports none. */
  readonly cost: number | null;
}

export class Summarizing {
  #ledger: Ledger = emptyLedger;
  #summary: Summary | undefined;

  add({ body, occurredAt, session }: Event | Omit<Event, "sequence" | "epoch">): void {
    this.#ledger = advance(this.#ledger, body).ledger;
    if (body.type === "session.started") {
      const { adapter, workspace, continues } = body;
      const empty = {
        model: null,
        reason: null,
        containment: null,
        title: "",
        turns: 0,
        cost: null,
        native: continues?.native ?? null,
      };
      this.#summary = {
        session,
        adapter,
        workspace,
        ...empty,
        state: "idle",
        startedAt: occurredAt,
        lastAt: occurredAt,
      };
    }
    if (this.#summary === undefined) return;
    let { model, native, title, turns, cost, reason, containment } = this.#summary;
    if (body.type === "session.changed") ({ model = model, native = native, containment = containment } = body);
    if (body.type === "turn.started") [turns, title] = [turns + 1, title || body.input];
    if (body.type === "usage.reported" && body.cost !== null) cost = (cost ?? 0) + body.cost.amount;
    if (body.type === "session.ended") reason = body.reason;
    this.#summary = {
      ...this.#summary,
      containment,
      model,
      native,
      title,
      turns,
      cost,
      reason,
      lastAt: occurredAt,
      state: this.#state(),
    };
  }

  get summary(): Summary | undefined {
    return this.#summary;
  }

  #state(): Summary["state"] {
    if (this.#ledger.over) return "ended";
    if (isOpen(this.#ledger, "pause")) return "paused";
    if (isOpen(this.#ledger, "decision")) return "waiting";
    return isOpen(this.#ledger, "turn") ? "working" : "idle";
  }
}
