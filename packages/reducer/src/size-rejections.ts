import type { Command, ErrorCode } from "@fairlead/contract";
import type { SessionState } from "./session-state.ts";

/**
 * The largest input of an agent, in bytes. A keeper writes at most 16 MiB at once; dialects add an envelope. A message that
 * the keeper rejects would be lost after its turn has started.
 */
export const maxInputBytes = 15 * 1024 * 1024;
/** The largest context that may wait. It leaves space for a message, so that the context can always be sent. */
export const maxContextBytes = 8 * 1024 * 1024;

/** Returns `too-large` if a command would not fit into the agent's input, or null. */
export function sizeRejectionOf({ pendingContext }: SessionState, command: Command, rules: number): ErrorCode | null {
  if (rules < 3) return null;
  switch (command.type) {
    case "inject":
      return totalBytes([...pendingContext, command.text]) > maxContextBytes ? "too-large" : null;
    case "send":
      return totalBytes([...pendingContext, command.text]) > maxInputBytes ? "too-large" : null;
    case "steer":
      return totalBytes([command.text]) > maxInputBytes ? "too-large" : null;
    case "answer":
      return totalBytes([JSON.stringify(command.answer)]) > maxInputBytes ? "too-large" : null;
    default:
      return null;
  }
}

/** The size of texts as JSON, the form in which most agents get them: some characters take six bytes. */
function totalBytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0);
}
