/** Why a call was refused or failed. Callers decide by code; people read the message. */
export const errorCodes = [
  "invalid-settings",
  "unknown-agent",
  "not-installed",
  "not-supported",
  "session-not-found",
  "session-ended",
  "session-paused",
  "session-not-paused",
  "no-open-turn",
  "decision-not-open",
  /** A person leads, in the agent's own terminal. */
  "taken-over",
  /** Nobody but the agent leads. */
  "not-taken-over",
  /** The agent has no conversation yet that could be gone on with elsewhere. */
  "no-conversation",
  "fenced",
  "corrupt",
  "unavailable",
  "timed-out",
  "not-started",
  /** The request itself makes no sense, whatever the state of things. */
  "invalid-request",
  /** Whoever asks may not. */
  "not-allowed",
  /** The key of a command was used for another one. */
  "conflict",
  /** Nobody can know any more whether it was done; look before asking again under another key. */
  "indeterminate",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

const brand = Symbol.for("fairlead.error");

/** The one error class. Use `isInstance`: it also knows errors thrown by another copy of this package. */
export class FairleadError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FairleadError";
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }

  static isInstance(error: unknown): error is FairleadError {
    return error instanceof Error && brand in error;
  }

  static is(error: unknown, code: ErrorCode): error is FairleadError {
    return FairleadError.isInstance(error) && error.code === code;
  }
}
