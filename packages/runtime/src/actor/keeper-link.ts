import { KeeperGone, RequestRejected, type KeeperConnection, type KeeperRequest, type Mask } from "@fairlead/keeper";
import { retryUntil, type RetryOptions } from "./retry-until.ts";

/** Connects an actor to the keeper of its session, and to the next keeper if that one is killed. */
export class KeeperLink {
  readonly #createMasks: () => readonly Mask[];
  #keeper: KeeperConnection;
  #hasMasks = false;
  #replacement = Promise.withResolvers<void>();

  /**
   * `createMasks` is called before the first request to each keeper, because a new session has its secrets only then, and
   * before each launch.
   */
  constructor(keeper: KeeperConnection, createMasks: () => readonly Mask[] = () => []) {
    this.#keeper = keeper;
    this.#createMasks = createMasks;
  }

  get keeper(): KeeperConnection {
    return this.#keeper;
  }

  /** Sends all further requests to another keeper. */
  replace(keeper: KeeperConnection): void {
    this.#keeper = keeper;
    this.#hasMasks = false;
    this.#replacement.resolve();
    this.#replacement = Promise.withResolvers();
  }

  /** Sends a request, and repeats it while the keeper rejects it only for now, for example because the disk is full. */
  async sendWithRetry(request: KeeperRequest, options: RetryOptions): ReturnType<KeeperConnection["send"]> {
    return await retryUntil(() => this.#send(request), { ...options, isTransient: isTransientRejection });
  }

  /**
   * Sends a request until a keeper has recorded it. If the keeper dies, the next one gets the request; the id prevents a
   * second execution. Throws `KeeperGone` if `finished` settles first, because then no keeper follows.
   */
  async sendUntilRecorded(request: KeeperRequest, finished: Promise<void>): ReturnType<KeeperConnection["send"]> {
    for (;;) {
      const replaced = this.#replacement.promise.then(() => true);
      try {
        return await this.#send(request);
      } catch (error) {
        if (!(error instanceof KeeperGone) || !(await Promise.race([replaced, finished.then(() => false)])))
          throw error;
      }
    }
  }

  /** Sends the masks first, so that a keeper records no request without them. An older keeper masks nothing. */
  async #send(request: KeeperRequest): ReturnType<KeeperConnection["send"]> {
    const keeper = this.#keeper;
    // Whether a key is withheld is known since the opening, which was recorded after the first masks were sent.
    if (request.do === "launch") this.#hasMasks = false;
    const masks = this.#hasMasks || !keeper.features.has("masks") ? [] : this.#createMasks();
    this.#hasMasks = true;
    if (masks.length === 0) return await keeper.send(request);
    // Without a wait between the two, so that requests stay in their order.
    const [, reply] = await Promise.all([keeper.send({ do: "mask", id: "masks", masks }), keeper.send(request)]);
    return reply;
  }
}

function isTransientRejection(error: unknown): boolean {
  return error instanceof RequestRejected && error.retryable;
}
