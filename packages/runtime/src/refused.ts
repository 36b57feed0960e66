import { FairleadError, type ErrorCode } from "@fairlead/contract";

const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
  "session-ended": "The session has ended.",
  "session-paused": "The session is paused: resume it first.",
  "session-not-paused": "The session is not paused.",
  "no-open-turn": "No turn is going on.",
  "decision-not-open": "That decision is not open: it was answered already, or withdrawn.",
};

/** A wish that cannot be granted now, as an error with words for people. */
export function refused(code: ErrorCode): FairleadError {
  return new FairleadError(code, reasons[code] ?? code);
}
