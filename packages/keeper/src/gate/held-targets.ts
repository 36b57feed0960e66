import type { KeeperClock } from "../keeper-clock.ts";
import { type Target, targetKey } from "./judge-host.ts";

/** How the wait for an answer ended. */
export type HeldOutcome = "allowed" | "refused" | "no-answer" | "too-many";

/** How long a connection waits for an answer. */
export const holdMs = 60_000;
/** The most targets that wait at a time. An agent could try thousands, and a person cannot answer as many. */
const maxHeldTargets = 16;

interface HeldTarget {
  readonly target: Target;
  readonly timer: Disposable;
  readonly settled: PromiseWithResolvers<HeldOutcome>;
}

interface HeldTargetsOptions {
  readonly clock: KeeperClock;
  /** Called once for all connections to a target that wait at the same time. */
  readonly onHeld: (target: Target) => void;
  /** No answer came in time. */
  readonly onTimeout: (target: Target) => void;
}

/** The targets whose connections wait for an answer. */
export class HeldTargets implements Disposable {
  readonly #options: HeldTargetsOptions;
  readonly #held = new Map<string, HeldTarget>();

  constructor(options: HeldTargetsOptions) {
    this.#options = options;
  }

  /** Waits for the answer about a target. All connections to it share one question. */
  hold(target: Target): Promise<HeldOutcome> {
    const key = targetKey(target);
    const known = this.#held.get(key);
    if (known !== undefined) return known.settled.promise;
    if (this.#held.size >= maxHeldTargets) return Promise.resolve("too-many");
    const timer = this.#options.clock.after(holdMs, () => {
      this.#settle(key, "no-answer");
      this.#options.onTimeout(target);
    });
    const settled = Promise.withResolvers<HeldOutcome>();
    this.#held.set(key, { target, timer, settled });
    this.#options.onHeld(target);
    return settled.promise;
  }

  answer(target: Target, isAllowed: boolean): void {
    this.#settle(targetKey(target), isAllowed ? "allowed" : "refused");
  }

  /** Refuses everything that waits. */
  [Symbol.dispose](): void {
    for (const key of this.#held.keys()) this.#settle(key, "refused");
  }

  #settle(key: string, outcome: HeldOutcome): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    held.timer[Symbol.dispose]();
    held.settled.resolve(outcome);
  }
}
