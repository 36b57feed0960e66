import { isOpen, type CommandOf, type Conversation, type EventOf } from "@fairlead/contract";
import { sessionBrief } from "./brief/session-brief.ts";
import type { Emitter } from "./emitter.ts";
import type { SessionState, WaitingMessage } from "./session-state.ts";

/**
 * The messages that the session accepted and whose turns have not started. The reducer keeps them, and gives the dialect
 * one at a time, when the agent can start its turn. A dialect therefore cannot drop the others, whatever ends the turn or
 * the process. Each message becomes one turn, or one `message.returned` event.
 */
export const messageQueue = {
  /** Accepts a message, together with the context that waits for it. */
  accept(emitter: Emitter, { turn, text }: CommandOf<"send">): void {
    const { waitingMessages, pendingContext } = emitter.state;
    const message = { turn, text, context: pendingContext, isDelivered: false, isAnnounced: false };
    emitter.state = { ...emitter.state, waitingMessages: [...waitingMessages, message], pendingContext: [] };
  },

  /** Takes the next message for the dialect, with the brief if the agent does not have it, or returns null if the agent cannot start a turn now. */
  takeDeliverable(emitter: Emitter, processLifetime: Conversation["processLifetime"]): WaitingMessage | null {
    const [first, ...others] = emitter.state.waitingMessages;
    if (first === undefined || first.isDelivered || !canStartTurn(emitter.state, processLifetime)) return null;
    const context = [...sessionBrief.contextFor(emitter.state, first.text), ...first.context];
    const tellsBrief = !emitter.state.brief.isTold;
    const delivered = { ...first, isDelivered: true, ...(tellsBrief && { tellsBrief }) };
    emitter.state = { ...emitter.state, waitingMessages: [delivered, ...others] };
    if (tellsBrief) sessionBrief.markTold(emitter, true);
    return { ...delivered, context };
  },

  /** Writes `message.queued` for each new message whose turn has not started. */
  announceWaiting(emitter: Emitter): void {
    // New messages are at the end.
    if (emitter.state.waitingMessages.at(-1)?.isAnnounced !== false) return;
    for (const { turn, text, isAnnounced } of emitter.state.waitingMessages)
      if (!isAnnounced) emitter.emitOwn({ type: "message.queued", turn, text });
    const waitingMessages = emitter.state.waitingMessages.map((message) => ({ ...message, isAnnounced: true }));
    emitter.state = { ...emitter.state, waitingMessages };
  },

  /**
   * Returns a message that the agent's process got and did not start before it exited. Delivering it again could run it
   * twice. If the dialect launches the agent again, it still has the message.
   */
  returnUnconfirmed(emitter: Emitter): void {
    const { waitingMessages, launching } = emitter.state;
    if (launching) return;
    for (const message of waitingMessages)
      if (message.isDelivered) messageQueue.returnMessage(emitter, message, "unconfirmed");
  },

  /** Returns all messages, because the session ends. */
  returnAll(emitter: Emitter, reason: EventOf<"session.ended">["reason"]): void {
    for (const message of emitter.state.waitingMessages) {
      const endReason = reason === "stopped" ? "stopped" : "ended";
      messageQueue.returnMessage(emitter, message, message.isDelivered ? "unconfirmed" : endReason);
    }
  },

  /** Gives a message back to its sender. */
  returnMessage(emitter: Emitter, message: WaitingMessage, reason: EventOf<"message.returned">["reason"]): void {
    const { turn, text } = message;
    emitter.emitOwn({ type: "message.returned", turn, text, reason });
    messageQueue.withdraw(emitter, message);
  },

  /** Removes a message. Its context and the brief, which are not part of its text, wait for the next message. */
  withdraw(emitter: Emitter, { turn }: WaitingMessage): void {
    const isWithdrawn = (message: WaitingMessage): boolean => message.turn === turn;
    const { context = [], tellsBrief = false } = emitter.state.waitingMessages.find(isWithdrawn) ?? {};
    const waitingMessages = emitter.state.waitingMessages.filter((message) => !isWithdrawn(message));
    const pendingContext = [...context, ...emitter.state.pendingContext];
    emitter.state = { ...emitter.state, waitingMessages, pendingContext };
    if (tellsBrief) sessionBrief.markTold(emitter, false);
  },
};

function canStartTurn(state: SessionState, processLifetime: Conversation["processLifetime"]): boolean {
  const { ledger, desiredState, running, launching, exiting, stdinClosed } = state;
  if (ledger.over || desiredState !== "run" || isOpen(ledger, "lead") || isOpen(ledger, "turn")) return false;
  // The process of the last turn must exit before the next one is launched.
  if (processLifetime === "turn") return !running && !launching;
  return !exiting && !stdinClosed;
}
