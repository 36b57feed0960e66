import { KeeperGone, RequestRejected, type KeeperConnection, type KeeperRequest } from "@fairlead/keeper";
import { retryUntil, type RetryOptions } from "./retry-until.ts";

/** Connects an actor to the keeper of its session, and to the next keeper if that one is killed. */
export class KeeperLink {
  #keeper: KeeperConnection;
  #replacement = Promise.withResolvers<void>();

  constructor(keeper: KeeperConnection) {
    this.#keeper = keeper;
  }

  get keeper(): KeeperConnection {
    return this.#keeper;
  }

  /** Sends all further requests to another keeper. */
  replace(keeper: KeeperConnection): void {
    this.#keeper = keeper;
    this.#replacement.resolve();
    this.#replacement = Promise.withResolvers();
  }

  /** Sends a request, and repeats it while the keeper rejects it only for now, for example because the disk is full. */
  async sendWithRetry(request: KeeperRequest, options: RetryOptions): ReturnType<KeeperConnection["send"]> {
    return await retryUntil(() => this.#keeper.send(request), { ...options, isTransient: isTransientRejection });
  }

  /**
   * Sends a request until a keeper has recorded it. If the keeper dies, the next one gets the request; the id prevents a
   * second execution. Throws `KeeperGone` if `finished` settles first, because then no keeper follows.
   */
  async sendUntilRecorded(request: KeeperRequest, finished: Promise<void>): ReturnType<KeeperConnection["send"]> {
    for (;;) {
      const replaced = this.#replacement.promise.then(() => true);
      try {
        return await this.#keeper.send(request);
      } catch (error) {
        if (!(error instanceof KeeperGone) || !(await Promise.race([replaced, finished.then(() => false)])))
          throw error;
      }
    }
  }
}

function isTransientRejection(error: unknown): boolean {
  return error instanceof RequestRejected && error.retryable;
}
