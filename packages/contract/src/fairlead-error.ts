/** Codes of rejected or failed calls. Programs branch on the code; people read the message. */
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
  /** The agent has closed its standard input, so that nothing reaches it. A pause and a resume start it again. */
  "input-closed",
  /**
   * The program in the agent's terminal has not read what was typed before. Nothing was typed: type the same text again
   * later.
   */
  "input-full",
  "decision-not-open",
  /** A person leads in the agent's own terminal. */
  "taken-over",
  /** The agent leads, not a person. */
  "not-taken-over",
  /** The agent has no conversation yet that another process could continue. */
  "no-conversation",
  /** The agent's adapter threw. The command had no effect, and the session can still be stopped. */
  "adapter-failed",
  /** The message is too large for the agent's input, together with the context that waits for it, or for the queue. */
  "too-large",
  /** The session has used what its limits allow. It continues after a limit is raised. */
  "limit-reached",
  "fenced",
  "corrupt",
  "unavailable",
  "timed-out",
  "not-started",
  /** The request is invalid in every state. */
  "invalid-request",
  /** The caller lacks the permission. */
  "not-allowed",
  /**
   * The idempotency key was used for a different command, the name is taken, the session has not ended, its workspace is
   * gone, or the open request is not the one that was shown.
   */
  "conflict",
  /** It is unknown whether the command was executed. A retry with the same key is safe; check the state before another. */
  "indeterminate",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

const brand = Symbol.for("fairlead.error");

/** The error class of all packages. Use `isInstance`: it also accepts errors of another copy of this package. */
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
