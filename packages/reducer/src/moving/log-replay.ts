import { Note, upcastNote, type Adapter, type Event, type SpoolRecord } from "@fairlead/contract";
import { parseJsonLine } from "@fairlead/kit";
import { rejectionOf } from "../command-rejections.ts";
import { decodeUtf8 } from "../decode-text.ts";
import { Emitter } from "../emitter.ts";
import { spendingLimits } from "../limits/spending-limits.ts";
import { rememberAnswer } from "../session-lifecycle.ts";
import { SessionReducer } from "../session-reducer.ts";
import { upgradeSessionState, type SessionState } from "../session-state.ts";

/** What the log of a session has: an event, or a command as the spool had it. */
export type LogEntry = { readonly event: Event } | { readonly note: SpoolRecord };

/**
 * Continues the state of a session with what its log has after it, without the spool: for a session whose host was lost. The
 * dialect's state stays that of the stored state, because only the spool has what the agent said. Everything else follows
 * from events, and from the few commands whose effect is in no event yet.
 */
export class LogReplay {
  readonly #adapter: Adapter;
  #state: SessionState | null;
  /** Whether the agent has not yet shown that it continues the conversation. A message that was sent then may have been read. */
  #isUnproven: boolean;
  #lastSeq: number;
  /** The last record that the stored state includes, or the record of the opening. */
  #stateSeq: number;

  /** `upToSeq` is the last spool record that the state includes. Without a state, the log's first note is the opening. */
  constructor(adapter: Adapter, stored: { readonly state: SessionState; readonly upToSeq: number } | null) {
    this.#adapter = adapter;
    this.#state = stored === null ? null : upgradeSessionState(stored.state);
    this.#lastSeq = this.#stateSeq = stored?.upToSeq ?? 0;
    this.#isUnproven = false;
  }

  /** The last spool record that is known. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Adds an entry. Entries must come in the order of their records, and of equal ones the note first. */
  add(entry: LogEntry): void {
    const seq = "note" in entry ? entry.note.seq : entry.event.spool;
    if (seq <= this.#stateSeq) return;
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    if ("note" in entry) this.#addNote(entry.note);
    else this.#addEvent(entry.event);
  }

  /**
   * Returns the state after all entries, at the time of the last one. Null if there was no opening. A message that was sent
   * while a resume was unproven counts as delivered, so that it is returned and not sent twice.
   */
  finish(): SessionState | null {
    const state = this.#state;
    if (state === null) return null;
    const waitingMessages = state.waitingMessages.map((message, index) =>
      index === 0 && this.#isUnproven ? { ...message, isDelivered: true } : message,
    );
    // The time without a host counts towards no limit. The comparison of files belongs to the session's folder there.
    const spending = { ...state.spending, clockSince: null, alarmAt: null };
    return { ...state, waitingMessages, spending, files: null };
  }

  #addNote(record: SpoolRecord): void {
    const note = Note.safeParse(upcastNote(parseJsonLine(decodeUtf8(record.bytes)))).data;
    if (note?.type === "opening" && this.#state === null) {
      const reducer = new SessionReducer(this.#adapter);
      reducer.reduce(record);
      this.#state = reducer.state;
      this.#stateSeq = record.seq;
      this.#isUnproven = note.opening.continues?.outcome === "native";
    }
    if (this.#state === null) return;
    const emitter = new Emitter(this.#state, record);
    if (note?.type === "price") spendingLimits.priced(emitter, note);
    if (note?.type === "command") {
      const { command } = note;
      const isAccepted = rejectionOf(this.#state, command) === null;
      if (command.type === "limit" && isAccepted) spendingLimits.changed(emitter, command);
      // Until the agent has exited, no event shows that it was to stop.
      const isToStop = command.type === "end" || (command.type === "pause" && command.leaves !== true);
      if (isToStop && isAccepted) emitter.state = { ...emitter.state, desiredState: command.type };
    }
    // The events of these commands are in the log.
    this.#state = { ...emitter.state, ledger: this.#state.ledger };
  }

  #addEvent({ body, spool, occurredAt, synthetic }: Event): void {
    if (this.#state === null) return;
    const record: SpoolRecord = {
      seq: spool,
      kind: "note",
      process: 0,
      at: Date.parse(occurredAt),
      id: "",
      bytes: noBytes,
    };
    const emitter = new Emitter(this.#state, record);
    if (body.type === "decision.resolved" && body.remember !== undefined)
      rememberAnswer(emitter, body.decision, body.remember);
    emitter.replay(body, synthetic);
    const { state } = emitter;
    switch (body.type) {
      case "message.queued": {
        const { turn, text } = body;
        const message = { turn, text, context: state.pendingContext, isDelivered: false, isAnnounced: true };
        emitter.state = { ...state, waitingMessages: [...state.waitingMessages, message], pendingContext: [] };
        break;
      }
      case "message.returned":
        emitter.state = { ...state, waitingMessages: state.waitingMessages.filter(({ turn }) => turn !== body.turn) };
        break;
      case "turn.started":
        if (body.origin !== "user") break;
        // A message that was not queued took the context that waited.
        if (!this.#state.waitingMessages.some(({ turn }) => turn === body.turn))
          emitter.state = { ...state, pendingContext: [] };
        emitter.state = { ...emitter.state, brief: { ...state.brief, isTold: true } };
        break;
      case "context.injected":
        emitter.state = { ...state, pendingContext: [...state.pendingContext, body.text] };
        break;
      case "brief.updated":
        emitter.state = {
          ...state,
          brief: { current: body.brief, isTold: false, steeredTurn: null, isAccepted: false },
        };
        break;
      case "session.paused": {
        const stoppedFor = body.reason === "asked" || body.reason === "idle" ? null : body.reason;
        emitter.state = { ...state, desiredState: "pause", stoppedFor, running: false, launching: false };
        break;
      }
      case "session.unpaused":
        this.#isUnproven = true;
        emitter.state = { ...state, desiredState: "run", stoppedFor: null, opensAgain: false, launching: true };
        break;
      case "session.resumed":
        this.#isUnproven = false;
        if (body.agentSessionId === null) emitter.state = { ...state, agentSessionId: null };
        break;
      case "session.changed":
        if (body.transcript !== undefined) emitter.state = { ...state, transcript: body.transcript };
        break;
      default:
    }
    spendingLimits.runClock(emitter);
    this.#state = emitter.state;
  }
}

const noBytes = Buffer.alloc(0);
