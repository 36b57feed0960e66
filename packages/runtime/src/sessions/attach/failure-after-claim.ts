import type { Runtime } from "../../runtime.ts";
import { isTransientFailure } from "../is-transient-failure.ts";

/**
 * Returns why an arrival failed if it has claimed the session, and must be repeated here: other hosts leave the session to this
 * one then. If the log cannot say that now, returns its error, so that a later attempt asks again. Otherwise returns undefined.
 */
export async function failureAfterClaim(
  { catalog, owner }: Pick<Runtime, "catalog" | "owner">,
  session: string,
  error: unknown,
): Promise<unknown> {
  try {
    return (await catalog.readTail(session)).owner === owner ? error : undefined;
  } catch (unreadable) {
    return isTransientFailure(unreadable) ? unreadable : undefined;
  }
}
