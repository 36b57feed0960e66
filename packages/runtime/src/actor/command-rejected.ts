import { FairleadError, type ErrorCode } from "@fairlead/contract";

const messages: Readonly<Partial<Record<ErrorCode, string>>> = {
  "session-ended": "The session has ended. Continue its conversation in a new session with: fairlead resume SESSION",
  "session-paused": "The session is paused. Resume it first.",
  "session-not-paused": "The session is not paused.",
  "no-open-turn": "The session has no open turn.",
  "decision-not-open": "The decision is not open: it was answered or withdrawn.",
  "taken-over": "A person leads the session in the agent's own terminal. Hand it back first.",
  "not-taken-over": "No person leads the session: the agent does.",
  "no-conversation": "The agent has no conversation yet that its terminal could continue. Send a message first.",
  "invalid-request": "The command is invalid.",
  "adapter-failed":
    "The agent's adapter failed on this command, so nothing was sent. Stop the session with: fairlead stop SESSION",
  "not-supported": "The agent does not support this command.",
};

/** Creates the error for a command that the session's state does not allow. */
export function commandRejected(code: ErrorCode): FairleadError {
  return new FairleadError(code, messages[code] ?? code);
}
