import { FairleadError, type Event } from "@fairlead/contract";
import type { Departures, DrainReport } from "./departures.ts";
import type { WorkIntake } from "./work-intake.ts";

export interface HostDrainOptions {
  readonly departures: Pick<Departures, "drain" | "isLeaving">;
  readonly intake: Pick<WorkIntake, "start" | "stop">;
  /** Returns the ids of the sessions that the host drives. */
  readonly list: () => readonly string[];
  /** Resolves when `list` has the sessions that an earlier process has left. */
  readonly untilRecovered: () => Promise<void>;
  /** Whether another host of the pool takes work. */
  readonly hasOthers: () => Promise<boolean>;
  /** Announces to others whether the host drains. */
  readonly announce: (isDraining: boolean) => Promise<void>;
  /** Receives errors of `announce`: a host also drains if others do not see it. Must not throw. */
  readonly onError: (error: unknown) => void;
}

const processStops =
  "The process of this host is stopping, so the drain cannot be undone. Start it again on its machine with `fairlead host join`.";

/** Empties a host, until that is undone. */
export class HostDrain {
  readonly #options: HostDrainOptions;
  #undone = new AbortController();
  /** Aborts when no session is to leave any more. */
  #stop: AbortSignal = this.#undone.signal;
  #isDraining = false;
  #isStopping = false;

  constructor(options: HostDrainOptions) {
    this.#options = options;
  }

  /**
   * Takes no more work, and moves all sessions to other hosts. Throws `conflict` if that is undone meanwhile: sessions that have
   * not moved by then stay. A process that stops gives a signal, with which it stops to wait for that.
   */
  async run(signal?: AbortSignal): Promise<DrainReport> {
    const { departures, intake, list, untilRecovered } = this.#options;
    const undone = this.#undone.signal;
    const stop = (this.#stop = signal === undefined ? undone : AbortSignal.any([undone, signal]));
    this.#isDraining = true;
    if (signal !== undefined) this.#isStopping = true;
    await untilAborted(this.#announce(true), stop);
    await untilAborted(intake.stop(), stop);
    await untilAborted(untilRecovered(), stop);
    return await departures.drain(list, stop);
  }

  /** Whether the host takes no more work. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Takes work, unless the host drained before it joined the fleet again. */
  async begin({ isDraining }: { readonly isDraining: boolean }): Promise<void> {
    this.#isDraining = isDraining;
    if (isDraining) await this.#announce(true);
    else this.#options.intake.start();
  }

  /** Takes work again. Throws `conflict` if the process stops: it would take work and end. Returns whether the host drained. */
  async undo(): Promise<boolean> {
    if (this.#isStopping) throw new FairleadError("conflict", processStops);
    const wasDraining = this.#isDraining;
    this.#undone.abort(new FairleadError("conflict", "The drain was undone, and the host takes work again."));
    this.#undone = new AbortController();
    this.#stop = this.#undone.signal;
    this.#isDraining = false;
    this.#options.intake.start();
    await this.#announce(false);
    return wasDraining;
  }

  /**
   * Receives each event of the sessions that the host drives. One that begins to run on a host which takes no more work leaves it
   * as the others did: it was resumed, or continues another one, and its files and its history are here.
   */
  onEvent({ session, body }: Event): void {
    const begins = body.type === "session.unpaused" || (body.type === "session.started" && body.continues !== null);
    // One that is resumed because no host took it stays. Otherwise its agent would be ended again and again.
    if (begins && this.#isDraining && !this.#options.departures.isLeaving(session)) void this.#moveAway(session);
  }

  async #moveAway(session: string): Promise<void> {
    const { departures, list, hasOthers } = this.#options;
    const stop = this.#stop;
    // Otherwise it would pause for nothing.
    if (!(await hasOthers().catch(() => true))) return;
    let isFirst = true;
    const listOne = (): readonly string[] => {
      // The host drives it when its start has ended.
      const isHere = isFirst || list().includes(session);
      isFirst = false;
      return isHere ? [session] : [];
    };
    // Only what ends the drain, or the process, rejects it.
    await departures.drain(listOne, stop).catch(() => {});
  }

  async #announce(isDraining: boolean): Promise<void> {
    await this.#options.announce(isDraining).catch(this.#options.onError);
  }
}

/** Waits for an action, and rejects with the signal's reason as soon as it aborts. The action then ends by itself. */
async function untilAborted(action: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([action, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
