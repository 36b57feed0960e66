/** Why a call was refused or failed. Callers decide by code; people read the message. */
export const errorCodes = [
  "invalid-settings",
  "unknown-adapter",
  "not-installed",
  "not-supported",
  "session-not-found",
  "session-ended",
  "session-paused",
  "session-not-paused",
  "no-open-turn",
  "decision-not-open",
  "fenced",
  "corrupt",
  "unavailable",
  "timed-out",
  "not-started",
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
