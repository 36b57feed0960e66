import { emptyKeyedMap, isOpen, type AgentCommand, type Command, type NoteOf } from "@fairlead/contract";
import type { Emitter } from "../emitter.ts";
import type { FencedDialect } from "../fenced-dialect.ts";
import { messageQueue } from "../message-queue.ts";
import { lifecycle, unknownExit } from "../session-lifecycle.ts";
import { noRemainder } from "../lines.ts";
import type { SessionState } from "../session-state.ts";
import { terminalRecording } from "../terminal-recording.ts";

const hostLost = "The host of this session was lost, and the agent with it. The turn is not repeated.";

/** What a session has of its agent's process when that has exited. */
export const withoutProcess = {
  running: false,
  exiting: false,
  stdinClosed: false,
  uses: emptyKeyedMap,
  out: noRemainder,
  err: noRemainder,
} satisfies Partial<SessionState>;

/**
 * Continues a session on another host. The agent's process is gone, so what it had begun fails, and the session is paused as
 * `moved` until its new owner resumes it. A session that was paused stays paused.
 */
export const movedSession = {
  /** Notes whether the session is to leave its host once no turn is open. Returns false if the command does not say so. */
  asked(emitter: Emitter, command: Command): boolean {
    const leaves = command.type === "pause" && command.leaves === true;
    const stays = command.type === "resume" && command.stays === true;
    if (leaves || stays) emitter.state = { ...emitter.state, leaving: leaves };
    return leaves || stays;
  },

  /** Returns the command that resumes an agent without its memory: it opens a conversation. Null for other commands. */
  opening({ state }: Emitter, command: Command): Extract<AgentCommand, { type: "open" }> | null {
    return command.type === "resume" && state.opensAgain ? { type: "open" } : null;
  },

  /** Has a resume open another conversation if the agent has had no message: most agents store none before it. */
  forgetNew(emitter: Emitter, dialect: FencedDialect, command: Command): void {
    const { isNew, opening, opensAgain, agentSessionId } = emitter.state;
    if (command.type !== "resume" || !isNew || opensAgain || agentSessionId === null) return;
    if (opening?.continues?.outcome !== "native") movedSession.forget(emitter, dialect, []);
  },

  /** Continues a session that was paused. If it was to leave before a person paused it, nothing waits for that any more. */
  resumed(emitter: Emitter, rules: number): void {
    const { opensAgain, isNew } = emitter.state;
    const leaving = rules < 8 && emitter.state.leaving;
    emitter.state = { ...emitter.state, desiredState: "run", stoppedFor: null, opensAgain: false, leaving };
    emitter.emitOwn({ type: "session.unpaused" });
    // Another conversation needs no proof.
    const outcome = isNew ? "fresh" : "rebuilt";
    if (opensAgain) emitter.emitOwn({ type: "session.resumed", outcome, agentSessionId: null });
  },

  /** Whether the agent must stop now, because the session is to leave its host and no turn is open. */
  leaves(emitter: Emitter): boolean {
    const { leaving, desiredState, ledger, waitingMessages } = emitter.state;
    if (!leaving || desiredState !== "run" || isOpen(ledger, "turn") || isOpen(ledger, "lead")) return false;
    // The agent has the message, and begins its turn at any moment.
    if (waitingMessages[0]?.isDelivered === true) return false;
    emitter.state = { ...emitter.state, leaving: false, desiredState: "pause", stoppedFor: "moved" };
    return true;
  },

  arrived(emitter: Emitter, dialect: FencedDialect, note: NoteOf<"moved">): void {
    const { ledger, running, launching, desiredState, remembersTurn } = emitter.state;
    if (ledger.over) return;
    const hadProcess = running || launching;
    const isHumanLeading = isOpen(ledger, "lead");
    const isTurnOpen = isOpen(ledger, "turn");
    if (isTurnOpen && note.outcome !== "lost")
      emitter.emitOwn({ type: "error.raised", category: "agent-died", message: hostLost });
    terminalRecording.lost(emitter);
    emitter.state = {
      ...emitter.state,
      ...withoutProcess,
      launching: false,
      terminalSize: null,
      deadlines: [],
      leaving: false,
      desiredState: hadProcess && desiredState === "run" ? "pause" : desiredState,
    };
    // The dialect learns that its process has exited. What it would send to that process has no receiver.
    if (hadProcess && !isHumanLeading)
      emitter.withoutEffects(() => dialect.observe(emitter, { kind: "exited", exit: unknownExit }));
    if (emitter.state.ledger.over) return;
    messageQueue.returnUnconfirmed(emitter);
    if (note.outcome === "lost") return lifecycle.movedNowhere(emitter, note.reason);
    if (note.outcome === "rebuilt") movedSession.forget(emitter, dialect, note.context ?? []);
    lifecycle.pauseForMove(emitter, desiredState);
    // What the agent knew of the turn that this has closed was lost with its host.
    emitter.state = { ...emitter.state, remembersTurn: remembersTurn && note.outcome !== "rebuilt" };
  },

  /** Starts the agent's conversation again: its memory is not on this host. Its next message begins with the context. */
  forget(emitter: Emitter, dialect: FencedDialect, context: readonly string[]): void {
    const { opening, pendingContext, brief } = emitter.state;
    if (opening === null) return;
    emitter.state = {
      ...emitter.state,
      opening: { ...opening, continues: null },
      agentSessionId: null,
      transcript: null,
      pendingContext: [...context, ...pendingContext],
      brief: { ...brief, isTold: false },
      opensAgain: true,
    };
    dialect.reopen(emitter);
  },
};
