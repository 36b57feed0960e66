import { FairleadError } from "@fairlead/contract";
import { KeeperUnresponsive } from "@fairlead/keeper";
import type { Session } from "../session.ts";
import { isFinalRejection, keeperUnavailable } from "./attach-error.ts";

/**
 * Runs an action on the session that `get` returns. If its keeper exits meanwhile, this gets the session again and repeats the
 * action, which must therefore be idempotent.
 */
export async function runWithSession<Result>(
  get: (id: string) => Promise<Session>,
  id: string,
  action: (session: Session) => Promise<Result>,
): Promise<Result> {
  let unconfirmed: unknown;
  for (let attempt = 1; ; attempt += 1) {
    const session = await get(id).catch((error: unknown) => {
      // The keeper that did not confirm the command may have recorded it.
      throw FairleadError.is(error, "unavailable") ? (unconfirmed ?? error) : error;
    });
    try {
      return await action(session);
    } catch (error) {
      if (!session.isFinished || isFinalRejection(error) || attempt === 3) throw error;
      if (error instanceof KeeperUnresponsive) throw keeperUnavailable(id, error);
      if (FairleadError.is(error, "indeterminate")) unconfirmed = error;
      await session.finished;
    }
  }
}
