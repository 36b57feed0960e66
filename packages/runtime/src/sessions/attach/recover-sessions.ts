import { sleep, type Clock } from "../../actor/clock.ts";
import type { Runtime } from "../../runtime.ts";
import { forEachConcurrently } from "./for-each-concurrently.ts";

/** The result of attaching to the sessions that a process left running. */
export interface RecoveryReport {
  readonly sessions: number;
  readonly failures: readonly { readonly session: string; readonly error: unknown }[];
}

interface RecoveryOptions {
  readonly runtime: Pick<Runtime, "projections" | "catalog" | "engine">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether this process has started a session, and drives it. */
  readonly wasStartedHere: (session: string) => boolean;
  /** Whether this process has attached to a session, or does so now. */
  readonly isAttached: (session: string) => boolean;
  readonly attach: (session: string) => Promise<unknown>;
}

/** Number of sessions that are attached at the same time. Attaching mostly waits for sockets and disks. */
const maxConcurrentAttaches = 16;
/** Milliseconds after which the next session is attached too, so that keepers that do not respond delay no others. */
const slowAttachDelay = 500;

/** Attaches to every session that was left running. Skips those that another running process drives. */
export async function recoverSessions(options: RecoveryOptions): Promise<RecoveryReport> {
  const { runtime, clock, signal } = options;
  const failures: { session: string; error: unknown }[] = [];
  let sessions = 0;
  await forEachConcurrently(
    maxConcurrentAttaches,
    runtime.projections.listUnfinished(),
    async (session) => {
      try {
        if (options.wasStartedHere(session)) return;
        const { owner } = await runtime.catalog.readTail(session);
        // A caller may have attached to it first.
        if (!options.isAttached(session) && (await runtime.engine.hosts.isAlive(owner))) return;
        await options.attach(session);
        sessions += 1;
      } catch (error) {
        failures.push({ session, error });
      }
    },
    () => sleep(clock, slowAttachDelay, signal),
  );
  return { sessions, failures };
}
