import { FairleadError } from "@fairlead/contract";
import { KeeperGone } from "@fairlead/keeper";

/** Codes of the operating system that another attempt may not meet: no free descriptors, memory, processes or space. */
const transientCodes: ReadonlySet<unknown> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EAGAIN",
  "EBUSY",
  "EINTR",
  "EIO",
  "ENOSPC",
  "EDQUOT",
  "ETIMEDOUT",
  "ECONNRESET",
  "ECONNREFUSED",
]);

/** Whether driving the session may succeed later without a repair. Damage does not heal. */
export function isTransientFailure(error: unknown): boolean {
  if (FairleadError.isInstance(error)) return error.code === "unavailable";
  if (error instanceof KeeperGone) return !error.isFinal;
  return error instanceof Error && "code" in error && transientCodes.has(error.code);
}
