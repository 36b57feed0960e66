import { FairleadError } from "@fairlead/contract";
import { SpoolDamaged } from "@fairlead/keeper";
import type { Runtime } from "../../runtime.ts";
import { isSpoolDamage } from "./attach-error.ts";
import type { Session } from "../session.ts";
import type { Sessions } from "../sessions.ts";

interface RetryParts {
  readonly runtime: Pick<Runtime, "attach" | "catalog">;
  readonly sessions: Pick<Sessions, "withSession">;
}

/** Repeats an action that was started before a crash, as `Sessions.retryWithSession` says. */
export async function retryWithSession<Result>(
  { runtime, sessions }: RetryParts,
  id: string,
  action: (session: Session) => Promise<Result>,
): Promise<Result> {
  try {
    if (!runtime.catalog.hasSpool(id)) throw new SpoolDamaged("spool", 0, "it is gone");
    if ((await runtime.catalog.readNewestEvent(id)).body.type !== "session.ended")
      return await sessions.withSession(id, action);
    await using session = await runtime.attach(id);
    return await action(session);
  } catch (error) {
    if (!isSpoolDamage(error) && !isSpoolDamage((error as Error).cause)) throw error;
    const message = `Whether the command was executed is unknown, because the spool of session ${id} is damaged or gone.`;
    throw new FairleadError("indeterminate", message, { cause: error });
  }
}
