import { FairleadError } from "@fairlead/contract";
import { PermissionViolationError } from "@nats-io/transport-node";

/** A message as a stream has it. */
export interface StoredMessage {
  /** The sequence in the stream. */
  readonly sequence: number;
  readonly subject: string;
  readonly payload: Uint8Array;
}

/** What a listing needs of a message. */
export interface MessageHeader extends Omit<StoredMessage, "payload"> {
  /** When the leader stored it, in nanoseconds since 1970. */
  readonly time: number;
  /** Whether it ends a session's history. */
  readonly isForget: boolean;
}

/** The state of a stream, as its leader reports it. */
export interface StreamState {
  /** Identifies the stream: one that was deleted and created again has another time. */
  readonly created: string;
  readonly lastSequence: number;
  readonly messages: number;
}

/** An error that a server's interface returned. */
export class StreamApiError extends Error {
  readonly code: number | undefined;

  constructor(message: string, code?: number) {
    super(message);
    this.name = "StreamApiError";
    this.code = code;
  }
}

const streamNotFoundCode = 10059;

/** Whether a request fails again if it is repeated: a permission or the stream is missing. */
export function isLastingFailure(error: unknown): boolean {
  if (error instanceof StreamApiError) return error.code === streamNotFoundCode;
  const cause = error instanceof Error ? error.cause : undefined;
  return error instanceof PermissionViolationError || cause instanceof PermissionViolationError;
}

/** Creates the error for a log that cannot be reached. */
export function createUnavailableError(action: string, cause?: unknown): FairleadError {
  const reason = cause instanceof Error ? cause.message : "it was closed";
  return new FairleadError("unavailable", `The log on NATS cannot ${action}: ${reason}.`, { cause });
}
