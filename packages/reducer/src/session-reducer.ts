import {
  capabilitiesOf,
  Exit,
  Note,
  openTurn,
  upcastNote,
  type Adapter,
  type Conversation,
  type ErrorCode,
  type Observation,
  type SpoolRecord,
  type Transition,
  type TerminalSize,
  type Command,
} from "@fairlead/contract";
import { initialSessionState, missingOpening, upgradeSessionState, type SessionState } from "./session-state.ts";
import { flushLine, noRemainder, splitLines, type OutputLine } from "./lines.ts";
import { unrecognizedEvent } from "@fairlead/kit";
import { handover } from "./handover.ts";
import { exitAlarm, lifecycle } from "./session-lifecycle.ts";
import { rejectionOf } from "./command-rejections.ts";
import { Emitter, type Reduction } from "./emitter.ts";

/**
 * Reduces spool records to events, deltas and effects. Deterministic for one adapter version: the same records produce
 * the same events and effects under the same ids, so recovery is a replay.
 */
export class SessionReducer {
  readonly #adapter: Adapter;
  #conversation: Conversation | undefined;
  #state: SessionState;

  constructor(adapter: Adapter, state: SessionState = initialSessionState) {
    this.#adapter = adapter;
    this.#state = upgradeSessionState(state);
  }

  /** The state after the last record. */
  get state(): SessionState {
    return this.#state;
  }

  /** Applies one record and returns its outputs. */
  reduce(record: SpoolRecord): Reduction {
    const emitter = new Emitter(this.#state, record);
    switch (record.kind) {
      case "note":
        this.#reduceNote(emitter, record.bytes);
        break;
      case "launch":
        emitter.state = {
          ...emitter.state,
          running: true,
          launching: false,
          launchedAt: record.seq,
          stdinClosed: false,
          out: noRemainder,
          err: noRemainder,
        };
        lifecycle.processLaunched(emitter, record.bytes);
        if (!handover.isHumanLeading(emitter)) this.#observe(emitter, { kind: "launched" });
        break;
      case "out":
      case "err":
        emitter.state = { ...emitter.state, lastOutputAt: record.at };
        this.#reduceOutput(emitter, record.kind, record.bytes);
        break;
      case "screen":
        handover.screenOutput(emitter, record.bytes);
        break;
      case "exit":
        this.#reduceExit(emitter, Exit.parse(parseJson(record.bytes)));
        break;
      case "stdin-closed":
        lifecycle.stdinClosed(emitter, record.id);
        break;
      case "in":
      case "signal":
        break;
      default:
        record.kind satisfies never;
    }
    handover.openTerminalIfReady(emitter, this.#adapter);
    this.#state = emitter.state;
    return emitter.reduction;
  }

  #reduceNote(emitter: Emitter, bytes: Uint8Array): void {
    const note = Note.parse(upcastNote(parseJson(bytes)));
    switch (note.type) {
      case "opening": {
        emitter.state = { ...emitter.state, opening: note.opening };
        emitter.state = { ...emitter.state, dialectState: this.#openConversation(emitter).dialect.initialState };
        const { name, agent, adapterVersion, probeResult, workspace, mode, continues } = note.opening;
        const { version: agentVersion, flags } = probeResult;
        // A fork has no conversation of its own until the agent reports its id.
        if (!continues?.fork) emitter.state = { ...emitter.state, agentSessionId: continues?.agentSessionId ?? null };
        const { protocol } = this.#openConversation(emitter);
        emitter.emitOwn({
          type: "session.started",
          name,
          agent,
          adapterVersion,
          agentVersion,
          protocol,
          flags,
          workspace,
          mode,
          continues,
        });
        // Rebuilt and fresh continuations need no proof. A native one is reported when the agent proves it.
        if (continues !== null && continues.outcome !== "native") {
          emitter.emitOwn({ type: "session.resumed", outcome: continues.outcome, agentSessionId: null });
        }
        break;
      }
      case "command":
        this.#handleCommand(emitter, note.command);
        break;
      case "alarm":
        // The alarm was set for the agent's process. It must not affect the terminal of a person who leads now.
        if (handover.isHumanLeading(emitter)) break;
        if (note.name === exitAlarm) emitter.enqueueEffect({ type: "kill" });
        else this.#observe(emitter, { kind: "alarm", name: note.name });
        break;
      case "transcript":
        lifecycle.transcriptRecorded(emitter, note.transcript);
        break;
      case "lost":
        emitter.state = { ...emitter.state, running: false, launching: false };
        lifecycle.keeperLost(emitter);
        break;
      default:
        note satisfies never;
    }
  }

  #handleCommand(emitter: Emitter, command: Command): void {
    const rejection = this.#capabilityRejection(emitter.state, command) ?? rejectionOf(emitter.state, command);
    if (rejection !== null) return emitter.reject(rejection);
    if (command.type === "inject") return lifecycle.contextInjected(emitter, command.text);
    if (command.type === "hand-back") return handover.endTerminal(emitter, "run");
    if (command.type === "end" && handover.isHumanLeading(emitter)) return handover.endTerminal(emitter, "end");
    if (command.type === "take-over") return this.#requestTakeOver(emitter, command.size);
    if (command.type === "answer") lifecycle.decisionAnswered(emitter, command);
    if (command.type === "pause" || command.type === "end")
      emitter.state = { ...emitter.state, desiredState: command.type };
    if (command.type === "resume") emitter.state = { ...emitter.state, desiredState: "run" };
    const { dialect } = this.#openConversation(emitter);
    const agentCommand = command.type === "send" ? lifecycle.attachContext(emitter, command) : command;
    this.#applyTransition(emitter, () => dialect.handle(emitter.state.dialectState, agentCommand));
    if (command.type === "pause" || command.type === "end") lifecycle.requestExit(emitter);
  }

  #capabilityRejection({ opening }: SessionState, command: Command): ErrorCode | null {
    if (command.type !== "steer" && command.type !== "take-over") return null;
    const { version = null, flags } = opening?.probeResult ?? {};
    return capabilitiesOf(this.#adapter.manifest, version, flags).includes(command.type) ? null : "not-supported";
  }

  /** Asks the agent to exit. For the dialect, a take-over is a pause. */
  #requestTakeOver(emitter: Emitter, size: TerminalSize): void {
    handover.requestTakeOver(emitter, size);
    if (!emitter.state.running && !emitter.state.launching) return;
    const { dialect } = this.#openConversation(emitter);
    this.#applyTransition(emitter, () => dialect.handle(emitter.state.dialectState, { type: "pause" }));
    lifecycle.requestExit(emitter);
  }

  #reduceOutput(emitter: Emitter, stream: "out" | "err", bytes: Uint8Array): void {
    const { lines, rest } = splitLines(emitter.state[stream], bytes);
    emitter.state = { ...emitter.state, [stream]: rest };
    for (const line of lines) this.#observeLine(emitter, stream, line);
  }

  #reduceExit(emitter: Emitter, exit: Exit): void {
    if (handover.isHumanLeading(emitter)) return this.#reduceTerminalExit(emitter, exit);
    for (const stream of ["out", "err"] as const) {
      for (const line of flushLine(emitter.state[stream])) this.#observeLine(emitter, stream, line);
    }
    emitter.state = { ...emitter.state, running: false, stdinClosed: false, out: noRemainder, err: noRemainder };
    const turn = openTurn(emitter.state.ledger);
    this.#observe(emitter, { kind: "exited", exit });
    // The dialect may have ended that turn and started the next one.
    const turnLeftOpen = turn !== null && openTurn(emitter.state.ledger) === turn;
    lifecycle.agentExited(emitter, {
      processLifetime: this.#openConversation(emitter).processLifetime,
      exit,
      turnLeftOpen,
    });
  }

  #reduceTerminalExit(emitter: Emitter, exit: Exit): void {
    emitter.state = { ...emitter.state, running: false, launching: false, out: noRemainder };
    handover.terminalExited(emitter, exit);
    if (emitter.state.desiredState !== "run") return lifecycle.settleAfterTerminal(emitter, exit);
    const { dialect } = this.#openConversation(emitter);
    this.#applyTransition(emitter, () => dialect.handle(emitter.state.dialectState, { type: "resume" }));
  }

  #observeLine(emitter: Emitter, stream: "out" | "err", line: OutputLine): void {
    if ("text" in line) this.#observe(emitter, { kind: "line", stream, text: line.text });
    else emitter.emit(unrecognizedEvent(line.raw, line.unreadable));
  }

  #observe(emitter: Emitter, observation: Observation): void {
    const { dialect } = this.#openConversation(emitter);
    this.#applyTransition(emitter, () => dialect.observe(emitter.state.dialectState, observation));
  }

  #applyTransition(emitter: Emitter, computeTransition: () => Transition<unknown>): void {
    const transition = computeTransition();
    emitter.state = { ...emitter.state, dialectState: transition.state };
    for (const event of transition.events ?? []) emitter.emit(event);
    for (const delta of transition.deltas ?? []) emitter.emitDelta(delta);
    for (const effect of transition.effects ?? []) emitter.enqueueEffect(effect);
  }

  #openConversation({ state }: Emitter): Conversation {
    if (state.opening === null) throw new TypeError(missingOpening);
    this.#conversation ??= this.#adapter.open(state.opening);
    return this.#conversation;
  }
}

function parseJson(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
}
