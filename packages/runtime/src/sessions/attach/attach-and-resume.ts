import { FairleadError } from "@fairlead/contract";
import { KeeperGone } from "@fairlead/keeper";
import type { Session } from "../session.ts";

const maxAttempts = 3;

/** Attaches and resumes. The keeper of a paused session may be exiting; then this tries again with a new keeper. */
export async function attachAndResume(attach: () => Promise<Session>): Promise<Session> {
  for (let attempt = 1; ; attempt += 1) {
    const attached = await attach();
    try {
      if (attached.state.desiredState === "pause") await attached.resume();
      return attached;
    } catch (error) {
      // The keeper exited before the command was sent to it.
      const isReleased = attached.isFinished && FairleadError.is(error, "unavailable");
      await attached[Symbol.asyncDispose]();
      if ((!isReleased && !isKeeperGone(error)) || attempt === maxAttempts) throw error;
    }
  }
}

/** Whether an attach failed, or a command was not confirmed, because the keeper is gone. */
function isKeeperGone(error: unknown): boolean {
  return error instanceof KeeperGone || (error instanceof Error && error.cause instanceof KeeperGone);
}
