import { FairleadError, type ErrorCode } from "@fairlead/contract";

const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
  "session-ended": "The session has ended. `fairlead resume` starts another one that goes on with its conversation.",
  "session-paused": "The session is paused: resume it first.",
  "session-not-paused": "The session is not paused.",
  "no-open-turn": "No turn is going on.",
  "decision-not-open": "That decision is not open: it was answered already, or withdrawn.",
  "taken-over": "A person leads the session, in the agent's own terminal. It has to be handed back first.",
  "not-taken-over": "Nobody has taken the session over: the agent leads.",
  "no-conversation": "The agent has no conversation yet with which its terminal could go on: send it a message first.",
  "not-supported": "This agent cannot do that.",
};

/** A wish that cannot be granted now, as an error with words for people. */
export function refused(code: ErrorCode): FairleadError {
  return new FairleadError(code, reasons[code] ?? code);
}
