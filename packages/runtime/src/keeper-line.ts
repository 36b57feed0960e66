import { KeeperGone, type Frame, type KeeperConnection } from "@fairlead/keeper";

/** The line to a session's keeper, and when that has died, to the next one. */
export class KeeperLine {
  #keeper: KeeperConnection;
  #succession = Promise.withResolvers<void>();

  constructor(keeper: KeeperConnection) {
    this.#keeper = keeper;
  }

  get keeper(): KeeperConnection {
    return this.#keeper;
  }

  /** There is another keeper now. */
  succeed(keeper: KeeperConnection): void {
    this.#keeper = keeper;
    this.#succession.resolve();
    this.#succession = Promise.withResolvers();
  }

  /**
   * Has a frame recorded, by the next keeper if this one dies meanwhile: the id makes it one. Throws `KeeperGone` when
   * there will be no next one, which `over` tells.
   */
  async deliver(frame: Frame, over: Promise<void>): ReturnType<KeeperConnection["send"]> {
    for (;;) {
      const next = this.#succession.promise.then(() => true);
      try {
        return await this.#keeper.send(frame);
      } catch (error) {
        if (!(error instanceof KeeperGone) || !(await Promise.race([next, over.then(() => false)]))) throw error;
      }
    }
  }
}
