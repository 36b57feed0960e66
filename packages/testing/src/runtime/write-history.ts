import type { AgentEvent, Event } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import { encodeEvents } from "../../../runtime/src/actor/stored-events.ts";

export interface HistoryOptions {
  readonly session: string;
  readonly name?: string | null;
  readonly agent?: string;
  readonly workspace?: string;
  readonly continues?: string | null;
  /** The agent's own id of the conversation, if the session continues another one. Default: `a`. */
  readonly agentSessionId?: string;
  readonly owner?: string;
  /** The number of texts in its turn. Default: 1. */
  readonly texts?: number;
  /** The length of each text. Default: 20. */
  readonly textLength?: number;
  /** Its events after the first, instead of one turn with texts. */
  readonly bodies?: readonly AgentEvent[];
  /** The time of its first event, in milliseconds since 1970. */
  readonly at?: number;
  /** Milliseconds between two events. Default: 1. */
  readonly stepMs?: number;
  /** The last event: the session ended, was paused, or still has an open turn. Default: `ended`. */
  readonly state?: "ended" | "paused" | "working";
  /** The number of events that are appended at once. Default: 8. */
  readonly batchSize?: number;
}

/** Returns the bodies of the events of a session with one turn. */
export function historyBodies(options: HistoryOptions): AgentEvent[] {
  const { session, name = null, agent = "scripted", workspace = "/workspace" } = options;
  const { continues = null, agentSessionId = "a" } = options;
  const { texts = 1, textLength = 20, state = "ended" } = options;
  const text = "x".repeat(textLength);
  const started = {
    type: "session.started",
    name,
    agent,
    adapterVersion: "1.0.0",
    agentVersion: null,
    protocol: "test",
    flags: [],
    workspace,
    mode: "default",
    continues: continues === null ? null : { session: continues, agentSessionId, outcome: "native", after: 1 },
  } satisfies AgentEvent;
  if (options.bodies !== undefined) return [started, ...options.bodies];
  return [
    started,
    { type: "turn.started", turn: "t", input: `Message of ${session}.`, origin: "user" },
    ...Array.from({ length: texts }, () => ({ type: "text.ended", text }) as const),
    {
      type: "usage.reported",
      provider: "p",
      model: "m",
      tokens: { uncached: 3, cacheRead: 0, cacheWrite: 0, output: 2, reasoning: 0 },
      cost: { amount: 0.5, currency: "USD" },
      provenance: "reported",
    },
    ...(state === "working" ? [] : [{ type: "turn.ended", turn: "t", outcome: "completed" } as const]),
    ...(state === "paused" ? [{ type: "session.paused", reason: "asked" } as const] : []),
    ...(state === "ended" ? [{ type: "session.ended", reason: "stopped", exit: null } as const] : []),
  ];
}

/** Appends the events of a session to a journal, as an owner does, without an agent. Returns the number of its events. */
export async function writeHistory(journal: Journal, options: HistoryOptions): Promise<number> {
  const {
    session,
    agent = "scripted",
    at = Date.UTC(2026, 0, 1),
    owner = "owner",
    batchSize = 8,
    stepMs = 1,
  } = options;
  const claim = await journal.claim(session, owner);
  let { fence } = claim;
  const bodies = historyBodies(options);
  let openTurn: string | null = null;
  const events = bodies.map((body, index): Event => {
    const sequence = claim.last + index + 1;
    const occurredAt = new Date(at + index * stepMs).toISOString();
    if (body.type === "turn.started") openTurn = body.turn;
    const turn = openTurn;
    if (body.type === "turn.ended") openTurn = null;
    const common = { session, epoch: claim.epoch, turn, occurredAt, agent, model: null, synthetic: false };
    return { id: `${session}/${sequence}.0`, sequence, spool: sequence, ...common, body };
  });
  for (let start = 0; start < events.length; start += batchSize) {
    const part = events.slice(start, start + batchSize);
    const batch = { session, epoch: claim.epoch, first: claim.last + start + 1, events: encodeEvents(part), owner };
    fence = await journal.append(batch, fence);
  }
  return events.length;
}
