import { FairleadError } from "@fairlead/contract";
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
