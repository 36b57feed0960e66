import type { KeeperClock } from "@fairlead/keeper";
import type { Clock } from "../../packages/runtime/src/actor/clock.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The lifetime of a process. After its end, its timers do not fire. */
export class SimulatedProcess {
  readonly #time: VirtualTime;
  readonly #exited = Promise.withResolvers<void>();
  #isAlive = true;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Settles when the process has ended, for observers outside of it. */
  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  end(): void {
    this.#isAlive = false;
    this.#exited.resolve();
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.clock.after(milliseconds, resolve));
  }

  readonly clock: Clock & KeeperClock = {
    now: () => this.#time.now(),
    monotonic: () => this.#time.monotonic(),
    after: (milliseconds: number, callback: () => void) =>
      this.#time.after(milliseconds, () => {
        if (this.#isAlive) callback();
      }),
  };
}
