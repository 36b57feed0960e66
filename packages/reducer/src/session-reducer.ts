import { emptyKeyedMap, Exit, Note, openTurn, prependContext, upcastNote } from "@fairlead/contract";
import type { Adapter, AgentCommand, Command, ErrorCode, SpoolRecord, TerminalSize } from "@fairlead/contract";
import { initialSessionState, missingOpening, upgradeSessionState, type SessionState } from "./session-state.ts";
import { flushLine, noRemainder, splitLines, type OutputLine } from "./lines.ts";
import { parseJsonLine, unrecognizedEvent } from "@fairlead/kit";
import { sessionBrief } from "./brief/session-brief.ts";
import { decisionDeadlines } from "./decision-deadlines.ts";
import { FencedDialect } from "./fenced-dialect.ts";
import { decodeUtf8 } from "./decode-text.ts";
import { handover } from "./handover.ts";
import { hostTools } from "./host-tools.ts";
import { messageQueue } from "./message-queue.ts";
import { networkAccess } from "./network-access.ts";
import { emitOpening } from "./emit-opening.ts";
import { exitAlarm, lifecycle, unattendedRequestId, unknownExit } from "./session-lifecycle.ts";
import { capabilityRejectionOf, answerForAgent, withoutUneditedInput } from "./capability-rejections.ts";
import type { RequestReader } from "./read-request.ts";
import { limitAlarm, spendingLimits } from "./limits/spending-limits.ts";
import { sizeRejectionOf } from "./size-rejections.ts";
import { rejectionOf } from "./command-rejections.ts";
import { Emitter, type Reduction } from "./emitter.ts";
import { parking } from "./limits/parking.ts";
import { movedSession, withoutProcess } from "./moving/moved-session.ts";
import { observedFiles } from "./observed-files.ts";
import { terminalRecording } from "./terminal-recording.ts";

/**
 * Reduces spool records to events, deltas and effects. Deterministic for one adapter version: the same records produce
 * the same events and effects under the same ids, so recovery is a replay.
 */
export class SessionReducer {
  readonly #adapter: Adapter;
  readonly #dialect: FencedDialect;
  readonly #reader: RequestReader | undefined;
  #state: SessionState;

  /** Without a reader, requests of a session with a policy are not read. */
  constructor(adapter: Adapter, state: SessionState = initialSessionState, reader?: RequestReader) {
    this.#adapter = adapter;
    this.#reader = reader;
    this.#dialect = new FencedDialect(adapter);
    this.#state = upgradeSessionState(state);
  }

  /** The state after the last record. */
  get state(): SessionState {
    return this.#state;
  }

  /** Applies one record and returns its outputs. */
  reduce(record: SpoolRecord): Reduction {
    const emitter = new Emitter(this.#state, record, this.#reader);
    switch (record.kind) {
      case "note":
        this.#reduceNote(emitter, record.bytes);
        break;
      case "launch":
        lifecycle.processLaunched(emitter, record);
        terminalRecording.launched(emitter);
        if (!handover.isHumanLeading(emitter)) this.#dialect.observe(emitter, { kind: "launched" });
        break;
      case "out":
      case "err":
        emitter.state = { ...emitter.state, lastOutputAt: record.at };
        this.#reduceOutput(emitter, record.kind, record.bytes);
        break;
      case "screen":
        handover.screenOutput(emitter, record.bytes);
        break;
      case "network":
        networkAccess.recorded(emitter, record.bytes);
        break;
      case "exit":
        this.#reduceExit(emitter, record.bytes);
        break;
      case "stdin-closed":
        lifecycle.stdinClosed(emitter, record.id);
        break;
      case "signal":
        if (record.id === unattendedRequestId) lifecycle.keeperUnattended(emitter);
        break;
      case "in":
        break;
      default:
        record.kind satisfies never;
    }
    // Outside the fence: without an opening no event has a session, so nothing can be recorded.
    if (emitter.state.opening === null) throw new TypeError(missingOpening);
    handover.passLeadIfReady(emitter, this.#adapter);
    this.#startOrStop(emitter);
    hostTools.settle(emitter, (observation) => this.#dialect.observe(emitter, observation));
    networkAccess.settle(emitter);
    messageQueue.announceWaiting(emitter);
    this.#state = emitter.state;
    return emitter.reduction;
  }

  #reduceNote(emitter: Emitter, bytes: Uint8Array): void {
    const text = decodeUtf8(bytes);
    const { data: note, error } = Note.safeParse(upcastNote(parseJsonLine(text)));
    // Every process of the user can write notes, also the agent. An invalid one must not end the session.
    if (note === undefined)
      return lifecycle.noteRejected(emitter, text, `invalid: ${error.issues[0]?.message ?? "no reason"}`);
    switch (note.type) {
      case "opening":
        if (emitter.state.opening !== null) return lifecycle.noteRejected(emitter, text, "a second opening");
        emitOpening(emitter, this.#dialect, note.opening);
        break;
      case "command":
        this.#handleCommand(emitter, note.command, note.rules ?? 1);
        break;
      case "alarm":
        if (decisionDeadlines.isAlarm(note.name)) return this.#dialect.denyLate(emitter, note.name);
        // The alarm was set for the agent's process. It must not affect the terminal of a person who leads now.
        if (handover.isHumanLeading(emitter)) break;
        if (note.name === limitAlarm) spendingLimits.alarmRang(emitter);
        else if (note.name === exitAlarm) emitter.enqueueEffect({ type: "kill" });
        else this.#dialect.observe(emitter, { kind: "alarm", name: note.name });
        break;
      case "transcript":
        return lifecycle.transcriptRecorded(emitter, note.transcript);
      case "files":
        return observedFiles.compared(emitter, note);
      case "terminal-opening":
        return handover.transcriptMeasured(emitter, this.#adapter, note.transcript);
      case "terminal-transcript":
        if (terminalRecording.readPart(emitter, note, (part) => this.#dialect.readTranscript(emitter, part)))
          this.#leaveTerminal(emitter);
        break;
      case "price":
        return spendingLimits.priced(emitter, note);
      case "tool-result":
        return hostTools.ended(emitter, note, (result) => this.#dialect.observe(emitter, result));
      case "rejected":
        if (note.effect === "launch") this.#launchRejected(emitter, note.message);
        else lifecycle.inputRejected(emitter, note.message);
        break;
      case "lost":
        emitter.state = { ...emitter.state, running: false, launching: false, uses: emptyKeyedMap };
        lifecycle.keeperLost(emitter, note.error);
        break;
      case "moved":
        return movedSession.arrived(emitter, this.#dialect, note);
      default:
        note satisfies never;
    }
  }

  #handleCommand(emitter: Emitter, submitted: Command, rules: number): void {
    const rejection =
      capabilityRejectionOf(emitter.state, submitted, this.#adapter.manifest, rules) ??
      rejectionOf(emitter.state, submitted) ??
      sizeRejectionOf(emitter.state, submitted, rules) ??
      (rules < 2 ? null : this.#inputRejection(emitter, submitted));
    if (rejection !== null) return emitter.reject(rejection);
    const command = rules < 2 ? submitted : withoutUneditedInput(emitter.state, submitted);
    const interrupt = networkAccess.answered(emitter, command) ?? hostTools.answered(emitter, command);
    if (interrupt !== null)
      return interrupt === "answered" ? undefined : this.#handleCommand(emitter, interrupt, rules);
    if (command.type === "send") return messageQueue.accept(emitter, command);
    if (command.type === "limit") return spendingLimits.changed(emitter, command);
    if (command.type === "inject") return lifecycle.contextInjected(emitter, command.text);
    if (command.type === "update-brief")
      return sessionBrief.updated(emitter, this.#dialect, this.#adapter.manifest, command);
    if (command.type === "hand-back") return handover.endTerminal(emitter, "run");
    if (command.type === "end" && handover.isHumanLeading(emitter)) return handover.endTerminal(emitter, "end");
    if (command.type === "take-over") {
      lifecycle.turnInterrupted(emitter, command);
      return this.#requestTakeOver(emitter, command.size);
    }
    if (movedSession.asked(emitter, command)) return;
    if (command.type === "pause" || command.type === "end") {
      lifecycle.turnInterrupted(emitter, command);
      emitter.state = { ...emitter.state, desiredState: command.type };
      this.#stopAgent(emitter, command);
      return;
    }
    if (rules >= 7) movedSession.forgetNew(emitter, this.#dialect, command);
    const agentCommand =
      movedSession.opening(emitter, command) ?? answerForAgent(emitter.state, command, this.#adapter.manifest);
    // Computed before anything is written: a command that the dialect cannot handle is rejected and changes nothing.
    const handled = this.#dialect.compute(emitter, agentCommand);
    if ("failure" in handled) return emitter.reject("adapter-failed");
    if (command.type === "interrupt") lifecycle.turnInterrupted(emitter, command);
    if (command.type === "answer") lifecycle.decisionAnswered(emitter, command);
    if (command.type === "resume") movedSession.resumed(emitter, rules);
    this.#dialect.apply(emitter, handled.result);
  }

  /** Rejects what would be written to an input that the agent has closed. An agent per turn gets a new input. */
  #inputRejection(emitter: Emitter, command: Command): ErrorCode | null {
    const isWritten = ["send", "steer", "answer"].includes(command.type) && !networkAccess.isAnswer(emitter, command);
    if (!emitter.state.stdinClosed || !isWritten) return null;
    return this.#dialect.processLifetime(emitter) === "session" ? "input-closed" : null;
  }

  /** Asks the agent to exit, also if the dialect cannot handle the command: a person can always stop an agent. */
  #stopAgent(emitter: Emitter, command: AgentCommand): void {
    const handled = this.#dialect.compute(emitter, command);
    if ("result" in handled) this.#dialect.apply(emitter, handled.result);
    else emitter.emitOwn(unrecognizedEvent(JSON.stringify(command), handled.failure));
    lifecycle.requestExit(emitter);
  }

  /** Asks the agent to exit. For the dialect, a take-over is a pause. */
  #requestTakeOver(emitter: Emitter, size: TerminalSize): void {
    handover.requestTakeOver(emitter, size);
    if (emitter.state.running || emitter.state.launching) this.#stopAgent(emitter, { type: "pause" });
  }

  #reduceOutput(emitter: Emitter, stream: "out" | "err", bytes: Uint8Array): void {
    const { lines, rest } = splitLines(emitter.state[stream], bytes);
    emitter.state = { ...emitter.state, [stream]: rest };
    for (const line of lines) {
      this.#observeLine(emitter, stream, line);
      // After each line, so that the result does not depend on how the keeper cut the output into records.
      this.#startOrStop(emitter);
    }
  }

  /** Stops the agent if a limit is reached or a quota is used up, and otherwise starts the turn of the next message. */
  #startOrStop(emitter: Emitter): void {
    if (spendingLimits.stopsAgent(emitter) || parking.stopsAgent(emitter) || movedSession.leaves(emitter))
      this.#stopAgent(emitter, { type: "pause" });
    else this.#deliverWaitingMessages(emitter);
    spendingLimits.runClock(emitter);
  }

  /** Gives the dialect the next message. Repeats it, because a dialect may end a turn at once. */
  #deliverWaitingMessages(emitter: Emitter): void {
    if (emitter.state.waitingMessages.length === 0) return;
    for (;;) {
      const message = messageQueue.takeDeliverable(emitter, this.#dialect.processLifetime(emitter));
      if (message === null) return;
      const text = prependContext(message.context, message.text);
      const handled = this.#dialect.compute(emitter, { type: "send", turn: message.turn, text });
      if ("result" in handled) {
        emitter.state = { ...emitter.state, isNew: false };
        this.#dialect.apply(emitter, handled.result);
      } else if (message.isAnnounced) messageQueue.returnMessage(emitter, message, "failed");
      else {
        messageQueue.withdraw(emitter, message);
        emitter.reject("adapter-failed");
      }
    }
  }

  #reduceExit(emitter: Emitter, bytes: Uint8Array): void {
    const text = decodeUtf8(bytes);
    const { data: exit = unknownExit, error } = Exit.safeParse(parseJsonLine(text));
    if (error !== undefined) emitter.emitOwn(unrecognizedEvent(text, "an exit record is invalid"));
    this.#processExited(emitter, exit);
  }

  #launchRejected(emitter: Emitter, reason: string): void {
    emitter.state = { ...emitter.state, launching: false };
    this.#processExited(emitter, { code: null, signal: null, error: reason });
  }

  #processExited(emitter: Emitter, exit: Exit): void {
    if (handover.isHumanLeading(emitter)) return this.#reduceTerminalExit(emitter, exit);
    for (const stream of ["out", "err"] as const) {
      for (const line of flushLine(emitter.state[stream])) this.#observeLine(emitter, stream, line);
    }
    emitter.state = { ...emitter.state, ...withoutProcess };
    const turn = openTurn(emitter.state.ledger);
    const isObserved = this.#dialect.observe(emitter, { kind: "exited", exit });
    // The dialect may have ended that turn and started the next one.
    const turnLeftOpen = turn !== null && openTurn(emitter.state.ledger) === turn;
    messageQueue.returnUnconfirmed(emitter);
    lifecycle.agentExited(emitter, {
      processLifetime: this.#dialect.processLifetime(emitter),
      exit,
      turnLeftOpen,
      adapterFailed: !isObserved,
    });
  }

  #reduceTerminalExit(emitter: Emitter, exit: Exit): void {
    emitter.state = { ...emitter.state, running: false, launching: false, out: noRemainder };
    if (terminalRecording.terminalExited(emitter, this.#adapter, exit)) this.#leaveTerminal(emitter, exit);
  }

  /** Passes the lead back to the agent, and settles or resumes the session. */
  #leaveTerminal(emitter: Emitter, exit = emitter.state.terminalRecording?.exit ?? unknownExit): void {
    handover.terminalExited(emitter, exit);
    spendingLimits.stopsAgent(emitter);
    if (emitter.state.desiredState !== "run") return lifecycle.settleAfterTerminal(emitter, exit);
    const handled = this.#dialect.compute(emitter, { type: "resume" });
    if ("result" in handled) this.#dialect.apply(emitter, handled.result);
    else lifecycle.pauseAfterFailure(emitter, handled.failure);
  }

  #observeLine(emitter: Emitter, stream: "out" | "err", line: OutputLine): void {
    if ("text" in line) {
      if (line.text === "" && !this.#dialect.observesEmptyLines(emitter)) return;
      this.#dialect.observe(emitter, { kind: "line", stream, ...line });
    } else emitter.emit(unrecognizedEvent(line.raw, line.unreadable));
  }
}
