import type { Fairlead } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";

/** Awaits a request to a session. If the session has ended, throws an error that says so with the session's id. */
export async function nameEndedSession<Result>(
  fairlead: Pick<Fairlead, "session">,
  sessionRef: string,
  request: Promise<Result>,
): Promise<Result> {
  try {
    return await request;
  } catch (error) {
    if (!FairleadError.is(error, "session-ended")) throw error;
    const { session } = await fairlead.session(sessionRef);
    const message = `${session} has ended. Continue its conversation in a new session with: fairlead resume ${session} "…"`;
    throw new FairleadError(error.code, message, { cause: error });
  }
}
