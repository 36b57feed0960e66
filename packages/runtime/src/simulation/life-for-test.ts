import type { Clock } from "../clock.ts";
import type { VirtualTime } from "./virtual-time-for-test.ts";

/** The life of a process. When it is over, nothing that the process waited for comes any more. */
export class Life {
  readonly #time: VirtualTime;
  readonly #death = Promise.withResolvers<void>();
  #alive = true;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Settles for those outside who watch. */
  get death(): Promise<void> {
    return this.#death.promise;
  }

  end(): void {
    this.#alive = false;
    this.#death.resolve();
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.clock.after(milliseconds, resolve));
  }

  readonly clock: Clock = {
    now: () => this.#time.now(),
    after: (milliseconds, ring) => this.#time.after(milliseconds, () => this.#alive && ring()),
  };
}
