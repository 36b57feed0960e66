import { FairleadError, type ErrorCode } from "@fairlead/contract";
import { KeeperGone, KeeperUnresponsive, SpoolDamaged, SpoolTrimmed } from "@fairlead/keeper";

export function isSpoolDamage(error: unknown): error is Error {
  return error instanceof SpoolDamaged || error instanceof SpoolTrimmed;
}

/** Returns the error of a failed attach as a client sees it. */
export function toAttachError(id: string, error: unknown): unknown {
  if (isSpoolDamage(error)) return new FairleadError("corrupt", error.message, { cause: error });
  return error instanceof KeeperGone ? keeperUnavailable(id, error) : error;
}

export function keeperUnavailable(id: string, cause: KeeperGone): FairleadError {
  const hint = cause instanceof KeeperUnresponsive ? ` Stop the session with: fairlead stop ${id}` : "";
  return new FairleadError("unavailable", `${cause.message}${hint}`, { cause });
}

/** Codes of errors that say something about a session that is in order. */
const answerCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["session-ended", "session-not-found", "fenced"]);

/** Whether repeating the action would give the same error. The next keeper knows what one that was killed has recorded. */
export function isFinalRejection(error: unknown): boolean {
  if (!FairleadError.isInstance(error)) return false;
  const { code, cause } = error;
  if (code === "indeterminate") return !(cause instanceof KeeperGone) || cause instanceof KeeperUnresponsive;
  return code !== "unavailable" && code !== "fenced";
}

/** Whether an attach failed because of the session, and not because the caller may not have it. */
export function isFailureOfSession(error: unknown): boolean {
  return !FairleadError.isInstance(error) || !answerCodes.has(error.code);
}
