import { closingEvents, isOpen, openRequest } from "@fairlead/contract";
import type {
  Conversation,
  DecidedBy,
  EventOf,
  Exit,
  NoteOf,
  SpoolRecord,
  TranscriptFingerprint,
  CommandOf,
} from "@fairlead/contract";
import { z } from "zod";
import { parseJsonLine, unrecognizedEvent } from "@fairlead/kit";
import { hostTools } from "./host-tools.ts";
import type { Emitter } from "./emitter.ts";
import type { SessionState } from "./session-state.ts";
import { noRemainder } from "./lines.ts";
import { messageQueue } from "./message-queue.ts";
import { parking } from "./limits/parking.ts";
import { terminalRecording } from "./terminal-recording.ts";

const LaunchRecord = z.looseObject({ containment: z.enum(["namespace", "descendants"]).optional() });

/** The alarm after which an agent that was asked to exit is killed. Spools contain the name. */
export const exitAlarm = "fairlead.leave";
/** The request id with which a keeper closes standard input when its lease expires without a client. */
const leaseRequestId = "lease";
/** The request id with which a keeper ends its processes when the process that drives it is gone for too long. */
export const unattendedRequestId = "unattended";
/** How long an agent may take to exit after its standard input is closed. */
const exitTimeoutMs = 5000;

interface AgentExit {
  readonly processLifetime: Conversation["processLifetime"];
  readonly exit: Exit;
  /** Whether a turn was open that the dialect did not end. */
  readonly turnLeftOpen: boolean;
  /** Whether the dialect could not process the exit. It then takes the process for a running one. */
  readonly adapterFailed?: boolean;
}

const keeperDied = {
  category: "agent-died",
  message: "The keeper of this session died, and the agent with it. The agent's exit is unknown.",
} as const;

const hostUnconfirmed = {
  category: "agent-died",
  message:
    "The fleet's servers did not confirm in time that this host is alive, so the agent was ended. The turn is not repeated.",
} as const;

/** The agent-independent part of a session: answers, context, exits and deaths. */
export const lifecycle = {
  decisionAnswered(emitter: Emitter, { decision, answer, by }: CommandOf<"answer">): void {
    if (answer.type === "deny" && answer.interrupt) lifecycle.turnInterrupted(emitter, { by });
    if (answer.type === "allow" && answer.remember !== undefined) rememberAnswer(emitter, decision, answer.remember);
    const outcome = { allow: "allowed", deny: "denied", choose: "answered" } as const;
    emitter.emitOwn({
      type: "decision.resolved",
      decision,
      outcome: outcome[answer.type],
      by,
      ...(answer.type === "allow" && answer.input !== undefined && { input: answer.input }),
      ...(answer.type === "allow" && answer.remember !== undefined && { remember: answer.remember }),
      ...(answer.type === "allow" && answer.option !== undefined && { option: answer.option }),
      ...(answer.type === "deny" && { message: answer.message }),
      ...(answer.type === "choose" && { answers: answer.answers }),
    });
  },

  /** Records who interrupts the open turn; of several, the first. Older spools do not name them: only people did it. */
  turnInterrupted(emitter: Emitter, { by = { kind: "person" } }: { readonly by?: DecidedBy | undefined }): void {
    if (!isOpen(emitter.state.ledger, "turn") || emitter.state.interruptedBy !== null) return;
    emitter.state = { ...emitter.state, interruptedBy: by };
    hostTools.interrupted(emitter);
  },

  contextInjected(emitter: Emitter, text: string): void {
    emitter.state = { ...emitter.state, pendingContext: [...emitter.state.pendingContext, text] };
    emitter.emitOwn({ type: "context.injected", text });
  },

  /** Closes the agent's standard input, and kills the agent if it does not exit in time. */
  requestExit(emitter: Emitter): void {
    // A process that is about to be launched must exit too.
    if (!emitter.state.running && !emitter.state.launching) return reachDesiredState(emitter, null);
    emitter.enqueueEffect({ type: "close-stdin" });
    emitter.enqueueEffect({ type: "alarm", name: exitAlarm, after: exitTimeoutMs });
  },

  agentExited(emitter: Emitter, { processLifetime, exit, turnLeftOpen, adapterFailed = false }: AgentExit): void {
    if (emitter.state.desiredState !== "run") emitter.enqueueEffect({ type: "disarm", name: exitAlarm });
    // A dialect in the wrong state would lose the next message. A new session continues with a new dialect.
    if (adapterFailed && emitter.state.desiredState !== "end") {
      emitter.state = { ...emitter.state, desiredState: "end" };
      closeTurn(emitter, "failed");
      return endSession(emitter, "failed", exit);
    }
    if (emitter.state.desiredState !== "run") return reachDesiredState(emitter, exit);
    const isClean = exit.code === 0 && !turnLeftOpen;
    if (processLifetime === "turn" && !turnLeftOpen) return;
    const reason = endReason(emitter, isClean, exit);
    if (!isClean && !emitter.state.hasError) raiseAgentDied(emitter, exit);
    closeTurn(emitter, "failed");
    if (processLifetime === "session") endSession(emitter, reason, exit);
  },

  /** Pauses or ends the session after the terminal exited, if a command requested it. */
  settleAfterTerminal(emitter: Emitter, exit: Exit): void {
    reachDesiredState(emitter, exit);
  },

  /** Pauses a session whose next process cannot be launched, so that the conversation can still be resumed or ended. */
  pauseAfterFailure(emitter: Emitter, message: string): void {
    emitter.state = { ...emitter.state, desiredState: "pause", terminalSize: null };
    emitter.emitOwn({ type: "error.raised", category: "not-started", message });
    reachDesiredState(emitter, null);
  },

  /** Records the process, and how the keeper contains it. Old keepers and old recordings do not report the latter. */
  processLaunched(emitter: Emitter, { seq, at, bytes }: SpoolRecord): void {
    emitter.state = {
      ...emitter.state,
      running: true,
      launching: false,
      launchedAt: seq,
      awaitingOutputSince: at,
      stdinClosed: false,
      out: noRemainder,
      err: noRemainder,
    };
    const { containment } = LaunchRecord.safeParse(parseJsonLine(Buffer.from(bytes).toString("utf8"))).data ?? {};
    if (containment === undefined || containment === emitter.state.containment) return;
    emitter.state = { ...emitter.state, containment };
    emitter.emitOwn({ type: "session.changed", containment });
  },

  /** Handles closed standard input: by a command, by the keeper at the end of its lease, or by the agent. */
  stdinClosed(emitter: Emitter, requestId: string): void {
    if (
      requestId === leaseRequestId &&
      (emitter.state.desiredState === "run" || emitter.state.desiredState === "take-over")
    )
      emitter.state = { ...emitter.state, desiredState: "pause", idle: true };
    if (requestId !== "" || emitter.state.desiredState !== "run") return;
    emitter.state = { ...emitter.state, stdinClosed: true };
    const message = "The agent closed its standard input. Messages no longer reach it.";
    emitter.emitOwn({ type: "status.reported", level: "warning", message });
  },

  noteRejected(emitter: Emitter, text: string, reason: string): void {
    emitter.emitOwn(unrecognizedEvent(text, `a note of the spool is not accepted: ${reason}`));
    emitter.reject("invalid-request");
  },

  transcriptRecorded(emitter: Emitter, transcript: TranscriptFingerprint): void {
    emitter.state = { ...emitter.state, transcript };
    emitter.emitOwn({ type: "session.changed", transcript });
    if (transcript.extends) return;
    const message = "The agent's own transcript does not continue the earlier one.";
    emitter.emitOwn({ type: "error.raised", category: "session-not-found", message });
  },

  /** Ends an agent that did not get its input: it would wait for it without a limit, and so would its turn. */
  inputRejected(emitter: Emitter, reason: string): void {
    const message = `A message could not be written to the agent's input: ${reason}`;
    emitter.emitOwn({ type: "error.raised", category: "unknown", message });
    if (emitter.state.running || emitter.state.launching) emitter.enqueueEffect({ type: "kill" });
  },

  /** Ends what ran on a host that was lost or left, and pauses the session. One that was to end, ends. */
  pauseForMove(emitter: Emitter, desiredState: SessionState["desiredState"]): void {
    if (isOpen(emitter.state.ledger, "lead")) {
      closeTurn(emitter, "failed");
      emitter.emitOwn({ type: "lead.changed", lead: "agent" });
    }
    if (desiredState === "run" || desiredState === "take-over")
      emitter.state = { ...emitter.state, desiredState: "pause", stoppedFor: "moved" };
    reachDesiredState(emitter, null);
  },

  /** Ends a session that no host can continue. */
  movedNowhere(emitter: Emitter, reason = "The host of this session was lost, and the agent with it."): void {
    emitter.emitOwn({ type: "error.raised", category: "agent-died", message: reason });
    closeTurn(emitter, "failed");
    endSession(emitter, "lost", null);
  },

  /** The keeper ends its processes because the process that drove it is gone: the next one resumes the session. */
  keeperUnattended(emitter: Emitter): void {
    const { desiredState, ledger } = emitter.state;
    if (desiredState !== "run" && desiredState !== "take-over") return;
    if (isOpen(ledger, "turn")) emitter.emitOwn({ type: "error.raised", ...hostUnconfirmed });
    emitter.state = { ...emitter.state, desiredState: "pause", stoppedFor: "moved" };
  },

  keeperLost(emitter: Emitter, error: NoteOf<"lost">["error"] = keeperDied): void {
    if (emitter.state.ledger.over) return;
    terminalRecording.lost(emitter);
    emitter.emitOwn({ type: "error.raised", ...error });
    closeTurn(emitter, "failed");
    endSession(emitter, "lost", null);
  },
};

/** The most answers that are remembered. The oldest are forgotten, so that their calls are asked about again. */
const maxGrants = 256;

/** Keeps what an answer allows for the rest of the session. */
export function rememberAnswer(emitter: Emitter, decision: string, remember: "session" | "rule"): void {
  const { grants, ledger } = emitter.state;
  const granted = openRequest(ledger, decision)?.reading?.grants ?? [];
  const added = granted.map((grant) => ({ ...grant, decision, isRule: remember === "rule" }));
  emitter.state = { ...emitter.state, grants: [...grants, ...added].slice(-maxGrants) };
}

/** Writes the requested pause or end. For a take-over, only closes the turn: the terminal opens next. */
function reachDesiredState(emitter: Emitter, exit: Exit | null): void {
  closeTurn(emitter, emitter.state.stoppedFor === "moved" ? "failed" : "interrupted");
  if (emitter.state.desiredState === "end") endSession(emitter, "stopped", exit);
  else if (emitter.state.desiredState === "pause" && !isOpen(emitter.state.ledger, "pause")) {
    const { stoppedFor, idle } = emitter.state;
    const until = stoppedFor === "quota" ? parking.resumesAt(emitter) : null;
    const reason = stoppedFor ?? (idle ? "idle" : "asked");
    emitter.emitOwn({ type: "session.paused", reason, ...(until !== null && { until }) });
    emitter.state = { ...emitter.state, idle: false };
  }
}

function endSession(emitter: Emitter, reason: EventOf<"session.ended">["reason"], exit: Exit | null): void {
  messageQueue.returnAll(emitter, reason);
  emitter.emitOwn({ type: "session.ended", reason, exit: exit && { code: exit.code, signal: exit.signal } });
}

function closeTurn(emitter: Emitter, turnOutcome: EventOf<"turn.ended">["outcome"]): void {
  const toolReason = turnOutcome === "interrupted" ? "interrupted" : "unfinished";
  const outcomes = { turn: turnOutcome, tool: toolReason, message: null } as const;
  for (const event of closingEvents(emitter.state.ledger, "session", outcomes)) emitter.emitOwn(event);
}

/** How a process ended whose exit record cannot be read. */
export const unknownExit: Exit = { code: null, signal: null };

/** Describes how a process ended: the launch error, the signal or the exit code. */
export function describeExit(exit: Exit): string {
  return exit.error ?? (exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`);
}

function raiseAgentDied(emitter: Emitter, exit: Exit): void {
  if (exit.error === undefined) {
    const message = `The agent's process ended by itself: ${describeExit(exit)}.`;
    return emitter.emitOwn({ type: "error.raised", category: "agent-died", message });
  }
  const message = `The agent could not be started: ${exit.error.replace(/\.$/, "")}.`;
  emitter.emitOwn({ type: "error.raised", category: "not-started", message });
}

function endReason(emitter: Emitter, isClean: boolean, exit: Exit): EventOf<"session.ended">["reason"] {
  // An error outside a turn is the reason for the end, whatever the exit code.
  if (emitter.state.isUnusable) return "failed";
  if (isClean) return "finished";
  // A program that did not start, or that reported an error before it exited, did not crash.
  const hasReportedError = emitter.state.hasError && exit.signal === null && exit.code !== null;
  return exit.error !== undefined || hasReportedError ? "failed" : "crashed";
}
