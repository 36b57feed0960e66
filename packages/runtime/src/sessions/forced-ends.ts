import { sleep, type Clock } from "../actor/clock.ts";
import type { Runtime } from "../runtime.ts";
import type { Session } from "./session.ts";

/** Milliseconds that a killed session may take to end through its actor. */
const actorTimeout = 10_000;
/** Milliseconds that an actor may take to release a killed session. After that, the journal refuses its events. */
const releaseTimeout = 5000;

export interface ForcedEndsOptions {
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** Aborted when the process releases its sessions. */
  readonly closing: AbortSignal;
  /** Runs an action on a session, and attaches to it if needed. */
  readonly withSession: (id: string, action: (session: Session) => Promise<void>) => Promise<void>;
  /** Makes this process stop driving a session. */
  readonly release: (id: string) => Promise<void>;
  readonly onEnded: (id: string) => void;
}

/** Ends sessions that cannot be stopped by a command. All callers that end the same session share one end. */
export class ForcedEnds {
  readonly #options: ForcedEndsOptions;
  readonly #ending = new Map<string, Promise<void>>();
  /** The sessions whose end is recorded without an actor. An actor that attached meanwhile would keep it from that. */
  readonly #recording = new Map<string, Promise<void>>();

  constructor(options: ForcedEndsOptions) {
    this.#options = options;
  }

  /** Kills the keeper of a session and everything its agent started, then records the end. */
  end(id: string, cause: unknown): Promise<void> {
    const existing = this.#ending.get(id);
    if (existing !== undefined) return existing;
    const ending = this.#end(id, cause).finally(() => this.#ending.delete(id));
    this.#ending.set(id, ending);
    return ending;
  }

  /** Resolves when no end of the session is being recorded. */
  async waitUntilRecorded(id: string): Promise<void> {
    await this.#recording.get(id)?.catch(() => {});
  }

  async #end(id: string, cause: unknown): Promise<void> {
    const { runtime, clock, closing, onEnded } = this.#options;
    // What this host still has of it is old, and its end would end the agent that works elsewhere.
    await runtime.assertHere(id);
    await runtime.killKeeper(id, cause);
    // Best, the actor reads the rest of the spool and the reducer ends the session. It may be unable to do that.
    const hasEnded = await Promise.race([
      this.#endThroughActor(id),
      sleep(clock, actorTimeout, closing).then(() => false),
    ]);
    if (!hasEnded) {
      const recording = this.#record(id, cause);
      this.#recording.set(id, recording);
      await recording.finally(() => this.#recording.delete(id));
    }
    onEnded(id);
  }

  /** Releases the session, so that this process has one writer of it, and records the end. */
  async #record(id: string, cause: unknown): Promise<void> {
    const { runtime, clock, closing, release } = this.#options;
    await Promise.race([release(id), sleep(clock, releaseTimeout, closing)]);
    if (await runtime.catalog.hasEnded(id)) return;
    await runtime.killKeeper(id, cause); // the one that an actor has started meanwhile
    await runtime.recordForcedEnd(id, cause);
  }

  async #endThroughActor(id: string): Promise<boolean> {
    const { runtime, closing, withSession } = this.#options;
    try {
      await withSession(id, async (session) => {
        const signal = AbortSignal.any([closing, AbortSignal.timeout(actorTimeout)]);
        const { lastSequence } = session;
        if (session.state.ledger.over) return;
        await session.end("forced");
        for await (const _ of session.stream(lastSequence, signal));
      });
    } catch {
      // The session has ended, or its end is recorded without its actor.
    }
    return await runtime.catalog.hasEnded(id);
  }
}
