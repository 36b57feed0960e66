import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Msg, Subscription } from "@nats-io/transport-node";
import { decodeMessage, encodeMessage, EpochAnswer, EpochMessage, type ServiceEpoch } from "./bus-message.ts";
import type { BusLink } from "./bus-link.ts";

// How long a service waits for one that must stop to take calls, and how often it asks again.
const answerTimeout = 1_000;
const askInterval = 100;
// How long a service that is the only one waits for another that begins at the same time.
const grace = 20;

export interface EpochElectionOptions {
  readonly link: BusLink;
  readonly session: string;
  readonly epoch: number;
  /** Called when a newer service begins. `isActive`: it takes calls already. */
  readonly onNewer: (isActive: boolean) => void;
  /** Called when the newer service has ended. */
  readonly onNewerEnded: () => void;
}

/**
 * Finds out which of several services of a session is the newest. Callers know no epochs, so the services agree among
 * themselves, and only the newest takes calls:
 *
 * - Before a service takes calls, it asks all others. An older one refuses calls from its answer on. A newer one answers
 *   that it is newer. Each answer names the newest service that is known, so one answer suffices to learn of it.
 * - The server says at once if there is none to ask, since the asking service does not listen yet.
 * - Two services may begin at the same time and find none. Each listens before it announces itself, so that at least one
 *   of them hears of the other, and a newer one contradicts an older one.
 * - Without a connection, announcements are lost. So a service takes no calls after a disconnect until it has asked again.
 * - Announcements are also lost between servers that cannot reach each other. So active services repeat theirs.
 *
 * A wrong decision, as within a partition, costs no events: the log refuses what the older owner appends.
 */
export class EpochElection {
  readonly #options: EpochElectionOptions;
  readonly #self: ServiceEpoch;
  readonly #subject: string;
  #newest: ServiceEpoch;
  #subscription: Subscription | undefined;
  #denied: Error | undefined;

  constructor(options: EpochElectionOptions) {
    this.#options = options;
    this.#self = { epoch: options.epoch, id: randomBytes(12).toString("hex") };
    this.#newest = this.#self;
    this.#subject = options.link.subjects.epochs(options.session);
  }

  get isNewest(): boolean {
    return this.#newest.id === this.#self.id;
  }

  /** Asks the other services. Returns whether this one is the newest. Throws the signal's reason when it aborts. */
  async enter(signal: AbortSignal): Promise<boolean> {
    const { link } = this.#options;
    this.suspend();
    this.#newest = this.#self;
    const hasOthers = await this.#askOthers(signal);
    this.#subscription = link.subscribe(
      this.#subject,
      (message) => this.#receive(message),
      (error) => (this.#denied = error),
    );
    this.#announce("begin");
    await link.flush(signal);
    if (this.#denied !== undefined) {
      const message = `The service of session ${this.#options.session} is refused: ${this.#denied.message}.`;
      throw new FairleadError("unavailable", message, { cause: this.#denied });
    }
    if (!hasOthers) await sleep(grace, undefined, { signal });
    await link.whenPropagated(signal);
    return this.isNewest;
  }

  /** Tells the others that this service takes calls. */
  announceActive(): void {
    this.#announce("active");
  }

  /** Stops to listen, as the client does when it is disconnected: what was announced meanwhile must be asked for. */
  suspend(): void {
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
  }

  leave(): void {
    this.suspend();
    this.#announce("ended");
  }

  #announce(type: EpochMessage["type"], service = this.#self): void {
    this.#options.link.publish(this.#subject, encodeMessage({ type, service } satisfies EpochMessage));
  }

  /** Returns whether there are others. Waits for the answer of the newest. */
  async #askOthers(signal: AbortSignal): Promise<boolean> {
    const { link } = this.#options;
    const inbox = link.createInbox();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const awaited = new Set<string>();
    const answered = new Set<string>([this.#self.id]);
    const subscription = link.subscribe(inbox, (message) => {
      if (message.data.length === 0 && message.headers?.code === 503) return resolve(false);
      const answer = decodeMessage(EpochAnswer, message.data)?.head;
      if (answer === undefined) return;
      answered.add(answer.by);
      awaited.add(answer.newest.id);
      if (isNewer(answer.newest, this.#newest)) this.#newest = answer.newest;
      if (!this.isNewest || [...awaited].every((id) => answered.has(id))) resolve(true);
    });
    const message = encodeMessage({ type: "begin", service: this.#self } satisfies EpochMessage);
    const ask = (): boolean => link.publish(this.#subject, message, inbox);
    const repetition = setInterval(ask, askInterval);
    const ending = AbortSignal.any([signal, AbortSignal.timeout(answerTimeout)]);
    const end = (): void => resolve(true);
    ending.addEventListener("abort", end);
    try {
      ask();
      const hasOthers = await promise;
      signal.throwIfAborted();
      return hasOthers;
    } finally {
      ending.removeEventListener("abort", end);
      clearInterval(repetition);
      subscription.unsubscribe();
    }
  }

  #receive(message: Msg): void {
    const { type, service } = decodeMessage(EpochMessage, message.data)?.head ?? {};
    if (type === undefined || service === undefined || service.id === this.#self.id) return;
    const { link, onNewer, onNewerEnded } = this.#options;
    if (type === "ended") {
      if (service.id === this.#newest.id) onNewerEnded();
      return;
    }
    const known = this.#newest;
    if (service.id === known.id || isNewer(service, known)) {
      this.#newest = service;
      onNewer(type === "active");
    } else if (this.isNewest || type === "begin") {
      this.#announce("begin", known);
    }
    if (!link.subjects.isReply(message.reply)) return;
    link.publish(message.reply, encodeMessage({ by: this.#self.id, newest: known } satisfies EpochAnswer));
  }
}

/** Two services of one epoch belong to one owner. Which of them is newer does not matter, but all must agree. */
function isNewer(one: ServiceEpoch, other: ServiceEpoch): boolean {
  return one.epoch === other.epoch ? one.id > other.id : one.epoch > other.epoch;
}
