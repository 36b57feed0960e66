import { KeeperGone } from "@fairlead/keeper";
import type { Session } from "./session.ts";

const maxAttempts = 3;

/** Attaches and resumes. The keeper of a paused session may be exiting; then this tries again with a new keeper. */
export async function attachAndResume(attach: () => Promise<Session>): Promise<Session> {
  for (let attempt = 1; ; attempt += 1) {
    const attached = await attach();
    try {
      if (attached.state.desiredState === "pause") await attached.resume();
      return attached;
    } catch (error) {
      await attached[Symbol.asyncDispose]();
      if (!(error instanceof KeeperGone) || attempt === maxAttempts) throw error;
    }
  }
}
