import {
  Exit,
  Note,
  openTurn,
  upcastNote,
  type Adapter,
  type Conversation,
  type ErrorCode,
  type Heard,
  type SpoolRecord,
  type Step,
  type TerminalSize,
  type Wish,
} from "@fairlead/contract";
import { emptyFold, wholeFold, type FoldState } from "./fold-state.ts";
import { cutLines, lastLine, noRemainder, type Line } from "./lines.ts";
import { handover } from "./handover.ts";
import { leaveAlarm, lifecycle } from "./lifecycle.ts";
import { objection } from "./objection.ts";
import { Telling, type Folded } from "./telling.ts";

/**
 * Turns spool records into events, deltas and effects. This is the one idea of the house: whoever folds the same
 * records gets the same events and the same effects under the same ids, so recovery is reading again.
 */
export class Fold {
  readonly #adapter: Adapter;
  #conversation: Conversation | undefined;
  #state: FoldState;

  constructor(adapter: Adapter, state: FoldState = emptyFold) {
    this.#adapter = adapter;
    this.#state = wholeFold(state);
  }

  get state(): FoldState {
    return this.#state;
  }

  take(record: SpoolRecord): Folded {
    const telling = new Telling(this.#state, record);
    switch (record.kind) {
      case "note":
        this.#note(telling, record.bytes);
        break;
      case "launch":
        telling.state = {
          ...telling.state,
          running: true,
          launching: false,
          launchedAt: record.seq,
          stdinClosed: false,
          out: noRemainder,
          err: noRemainder,
        };
        lifecycle.launched(telling, record.bytes);
        if (!handover.isHuman(telling)) this.#hear(telling, { kind: "launched" });
        break;
      case "out":
      case "err":
        telling.state = { ...telling.state, heardAt: record.at };
        this.#output(telling, record.kind, record.bytes);
        break;
      case "screen":
        handover.shown(telling, record.bytes);
        break;
      case "exit":
        this.#exit(telling, Exit.parse(json(record.bytes)));
        break;
      case "hangup":
        lifecycle.hungUp(telling, record.id);
        break;
      case "in":
      case "signal":
        break;
      default:
        record.kind satisfies never;
    }
    handover.goOn(telling, this.#adapter);
    this.#state = telling.state;
    return telling.folded;
  }

  #note(telling: Telling, bytes: Uint8Array): void {
    const note = Note.parse(upcastNote(json(bytes)));
    switch (note.type) {
      case "opening": {
        telling.state = { ...telling.state, opening: note.opening };
        telling.state = { ...telling.state, dialect: this.#talk(telling).dialect.start };
        const { name, agent, adapterVersion, finding, workspace, mode, continues } = note.opening;
        const { version: agentVersion, flags } = finding;
        // A fork has no conversation of its own until the agent has named it.
        if (!continues?.fork) telling.state = { ...telling.state, agentSessionId: continues?.agentSessionId ?? null };
        const { protocol } = this.#talk(telling);
        const found = { agentVersion, protocol, flags };
        telling.say({ type: "session.started", name, agent, adapterVersion, ...found, workspace, mode, continues });
        // What is rebuilt or begun anew has nothing to prove; what is native is told of when it is proven.
        if (continues !== null && continues.outcome !== "native") {
          telling.say({ type: "session.resumed", outcome: continues.outcome, agentSessionId: null });
        }
        break;
      }
      case "wish":
        this.#wish(telling, note.wish);
        break;
      case "alarm":
        // A person's terminal is not who was asked to leave; nor is it for the dialect to do anything to it.
        if (handover.isHuman(telling)) break;
        if (note.name === leaveAlarm) telling.order({ type: "kill" });
        else this.#hear(telling, { kind: "alarm", name: note.name });
        break;
      case "transcript":
        lifecycle.transcribed(telling, note.transcript);
        break;
      case "lost":
        telling.state = { ...telling.state, running: false, launching: false };
        lifecycle.lost(telling);
        break;
      default:
        note satisfies never;
    }
  }

  #wish(telling: Telling, wish: Wish): void {
    const refusal = this.#cannot(wish) ?? objection(telling.state, wish);
    if (refusal !== null) return telling.refuse(refusal);
    if (wish.type === "inject") return lifecycle.injected(telling, wish.text);
    if (wish.type === "hand-back") return handover.ended(telling, "run");
    if (wish.type === "end" && handover.isHuman(telling)) return handover.ended(telling, "end");
    if (wish.type === "take-over") return this.#takeOver(telling, wish.size);
    if (wish.type === "answer") lifecycle.answered(telling, wish);
    if (wish.type === "pause" || wish.type === "end") telling.state = { ...telling.state, aim: wish.type };
    if (wish.type === "resume") telling.state = { ...telling.state, aim: "run" };
    const { dialect } = this.#talk(telling);
    const asked = wish.type === "send" ? lifecycle.withInjected(telling, wish) : wish;
    this.#apply(telling, () => dialect.ask(telling.state.dialect, asked));
    if (wish.type === "pause" || wish.type === "end") lifecycle.leaving(telling);
  }

  #cannot(wish: Wish): ErrorCode | null {
    if (wish.type !== "steer" && wish.type !== "take-over") return null;
    return this.#adapter.manifest.capabilities.includes(wish.type) ? null : "not-supported";
  }

  /** To the agent it is a pause like any other. */
  #takeOver(telling: Telling, size: TerminalSize): void {
    handover.wished(telling, size);
    if (!telling.state.running && !telling.state.launching) return;
    const { dialect } = this.#talk(telling);
    this.#apply(telling, () => dialect.ask(telling.state.dialect, { type: "pause" }));
    lifecycle.leaving(telling);
  }

  #output(telling: Telling, stream: "out" | "err", bytes: Uint8Array): void {
    const { lines, rest } = cutLines(telling.state[stream], bytes);
    telling.state = { ...telling.state, [stream]: rest };
    for (const line of lines) this.#line(telling, stream, line);
  }

  #exit(telling: Telling, exit: Exit): void {
    if (handover.isHuman(telling)) return this.#terminalExit(telling, exit);
    for (const stream of ["out", "err"] as const) {
      for (const line of lastLine(telling.state[stream])) this.#line(telling, stream, line);
    }
    telling.state = { ...telling.state, running: false, stdinClosed: false, out: noRemainder, err: noRemainder };
    const turn = openTurn(telling.state.ledger);
    this.#hear(telling, { kind: "exited", exit });
    // A dialect may have ended that turn and begun the next one.
    const cutOff = turn !== null && openTurn(telling.state.ledger) === turn;
    lifecycle.exited(telling, { life: this.#talk(telling).life, exit, cutOff });
  }

  #terminalExit(telling: Telling, exit: Exit): void {
    telling.state = { ...telling.state, running: false, launching: false, out: noRemainder };
    handover.exited(telling, exit);
    if (telling.state.aim !== "run") return lifecycle.left(telling, exit);
    const { dialect } = this.#talk(telling);
    this.#apply(telling, () => dialect.ask(telling.state.dialect, { type: "resume" }));
  }

  #line(telling: Telling, stream: "out" | "err", line: Line): void {
    if ("text" in line) this.#hear(telling, { kind: "line", stream, text: line.text });
    else telling.tell({ type: "unrecognized", reason: line.unreadable, raw: line.raw });
  }

  #hear(telling: Telling, heard: Heard): void {
    const { dialect } = this.#talk(telling);
    this.#apply(telling, () => dialect.hear(telling.state.dialect, heard));
  }

  #apply(telling: Telling, take: () => Step<unknown>): void {
    const step = take();
    telling.state = { ...telling.state, dialect: step.state };
    for (const event of step.events ?? []) telling.tell(event);
    for (const delta of step.deltas ?? []) telling.pass(delta);
    for (const effect of step.effects ?? []) telling.order(effect);
  }

  #talk({ state }: Telling): Conversation {
    if (state.opening === null) throw new TypeError("A spool begins with its opening.");
    this.#conversation ??= this.#adapter.open(state.opening);
    return this.#conversation;
  }
}

function json(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
}
