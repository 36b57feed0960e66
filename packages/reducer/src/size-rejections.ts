import { maxBriefBytes, type Brief, type Command, type ErrorCode } from "@fairlead/contract";
import type { SessionState } from "./session-state.ts";

/**
 * The largest input of an agent, in bytes. A keeper writes at most 16 MiB at once; dialects add an envelope. A message that
 * the keeper rejects would be lost after its turn has started.
 */
export const maxInputBytes = 15 * 1024 * 1024;
/**
 * The largest context that may wait, in bytes, together with the context of queued messages: it waits again if they are
 * returned. The limit leaves space for a message, so that the context can always be sent.
 */
export const maxContextBytes = 8 * 1024 * 1024;

/** The most messages of a session that may wait for their turns, and their largest size with their context, in bytes. */
export const maxQueuedMessages = 256;
export const maxQueuedBytes = 32 * 1024 * 1024;

/** Returns `too-large` if a command would not fit into the agent's input or the session's queue, or null. */
export function sizeRejectionOf(state: SessionState, command: Command, rules: number): ErrorCode | null {
  return rules >= 3 && isTooLarge(state, command, rules) ? "too-large" : null;
}

/** Whether a brief is larger than a session keeps. */
export function isBriefTooLarge(brief: Brief): boolean {
  return Buffer.byteLength(JSON.stringify(brief)) > maxBriefBytes;
}

function isTooLarge({ pendingContext, waitingMessages }: SessionState, command: Command, rules: number): boolean {
  const queue = rules < 5 ? [] : waitingMessages;
  switch (command.type) {
    case "inject": {
      const queuedContext = queue.flatMap(({ context }) => context);
      return isLarger([...queuedContext, ...pendingContext, command.text], maxContextBytes);
    }
    case "send": {
      const message = [...pendingContext, command.text];
      const queued = queue.flatMap(({ context, text }) => [...context, text]);
      if (isLarger(message, maxInputBytes) || queue.length >= maxQueuedMessages) return true;
      return isLarger([...queued, ...message], maxQueuedBytes);
    }
    case "update-brief":
      return isBriefTooLarge(command.brief);
    case "steer":
      return isLarger([command.text], maxInputBytes);
    case "answer":
      return isLarger([JSON.stringify(command.answer)], maxInputBytes);
    default:
      return false;
  }
}

/** Whether texts take more bytes as JSON, the form in which most agents get them: some characters take six bytes. */
function isLarger(texts: readonly string[], limit: number): boolean {
  const mostBytes = texts.reduce((sum, text) => sum + 6 * text.length + 2, 0);
  if (mostBytes <= limit) return false; // spares the conversion of short texts
  return texts.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0) > limit;
}
