export interface MessageArrival {
  /** Whether it came over another connection than the message before it. */
  readonly isNewLink: boolean;
  /** Whether it may have been sent long ago, and says nothing of what the service has sent since. */
  readonly isLate: boolean;
}

/** What a follower hears of the service. */
export interface LinkEvents<Message> {
  /** A message arrived. */
  onMessage(message: Message, arrival: MessageArrival): void;
  /** Nothing says that the service can be reached. */
  onLost(): void;
  /** Whether an error ends all attempts, because another one would fail in the same way. */
  isFinal(error: unknown): boolean;
}

export interface LinkOptions<Message> extends LinkEvents<Message> {
  readonly open: (signal: AbortSignal) => AsyncIterable<Message>;
  /** After so many milliseconds without a message, another connection is opened beside the silent one. */
  readonly maxSilenceMs: number;
  /** How long after it the next one is opened, if neither has said anything. */
  readonly staggerMs: number;
  readonly maxRetryDelayMs: number;
}

/**
 * How many connections may be opening beside a silent one. A browser opens one WebSocket to a host at a time, so one that the
 * network has swallowed holds up all after it until it is closed.
 */
const maxOpening = 2;
/** A connection that ends earlier is opened again with a delay, also if it delivered something. */
const shortLife = 1000;
/** The browser hands over what has waited within this time after the page stood still. */
const backlogMs = 200;

interface Link {
  readonly closing: AbortController;
}

/**
 * Follows the service over one connection at a time. A browser does not notice that a network swallows what is sent: a
 * connection that is silent, or that does not open, is raced by another one, and the first that delivers a message stays.
 * So a slow network loses nothing, and after an outage the page does not wait for connections that are dead.
 */
export class Links<Message> {
  readonly #options: LinkOptions<Message>;
  readonly #open = new Set<Link>();
  #current: Link | null = null;
  #hasHeard = false;
  #heardAt = 0;
  /** When the last message of the current connection arrived, also if it was late. */
  #arrivedAt = 0;
  /** When the first message after the last silence arrived. */
  #resumedAt = -Infinity;
  #openedAt = 0;
  #failures = 0;
  #isFinished = false;
  #wake: () => void = () => {};

  constructor(options: LinkOptions<Message>) {
    this.#options = options;
  }

  /** Looks now whether the connection is silent, as after the machine has slept, and tries at once if there is none. */
  readonly check = (): void => this.#wake();

  /** Follows until the signal aborts, or an error is final. */
  async run(signal: AbortSignal): Promise<void> {
    const { maxSilenceMs, staggerMs, maxRetryDelayMs } = this.#options;
    const stop = (): void => this.#wake();
    signal.addEventListener("abort", stop);
    while (!signal.aborted && !this.#isFinished) {
      // The clock of the wall, because timers stand still while the machine sleeps.
      const silence = Date.now() - this.#heardAt;
      const isSilent = this.#current === null || silence >= maxSilenceMs;
      if (isSilent && this.#current !== null) this.#options.onLost();
      if (this.#open.size === 0) {
        if (this.#failures > 0) await this.#pause(Math.min(50 * 2 ** this.#failures, maxRetryDelayMs));
        if (!signal.aborted) this.#add();
      } else if (isSilent && Date.now() - this.#openedAt >= staggerMs) this.#add();
      // One that has already failed has woken this loop before it waits.
      if (this.#open.size > 0) await this.#pause(isSilent ? staggerMs : Math.max(1, maxSilenceMs - silence));
    }
    signal.removeEventListener("abort", stop);
    this.#closeExcept(null);
  }

  #pause(milliseconds: number): Promise<void> {
    if (this.#isFinished) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #add(): void {
    const link: Link = { closing: new AbortController() };
    this.#openedAt = Date.now();
    this.#open.add(link);
    const opening = [...this.#open].filter((one) => one !== this.#current);
    if (opening.length > maxOpening && opening[0] !== undefined) this.#close(opening[0]);
    void this.#follow(link);
  }

  async #follow(link: Link): Promise<void> {
    const { signal } = link.closing;
    try {
      for await (const message of this.#options.open(signal)) {
        if (signal.aborted) return;
        this.#hear(link, message);
      }
    } catch (error) {
      if (!signal.aborted && this.#options.isFinal(error)) this.#isFinished = true;
    } finally {
      if (!signal.aborted) this.#lose(link);
    }
  }

  #hear(link: Link, message: Message): void {
    const now = Date.now();
    if (this.#isLate(link, now)) {
      this.#options.onLost();
      this.#options.onMessage(message, { isNewLink: false, isLate: true });
      // Another connection shows what the service says now, and whether this one still lives.
      this.#wake();
      return;
    }
    const isNewLink = this.#hasHeard && this.#current !== link;
    this.#hasHeard = true;
    this.#current = link;
    this.#heardAt = now;
    this.#arrivedAt = now;
    if (Date.now() - this.#openedAt >= shortLife) this.#failures = 0;
    if (this.#open.size > 1) this.#closeExcept(link);
    this.#options.onMessage(message, { isNewLink, isLate: false });
  }

  /**
   * A page whose scripts stood still, in a frozen tab or on a machine that slept, first gets what arrived until then. Its
   * connection may be dead since.
   */
  #isLate(link: Link, now: number): boolean {
    if (link !== this.#current) return false;
    if (now - this.#arrivedAt >= this.#options.maxSilenceMs) this.#resumedAt = now;
    this.#arrivedAt = now;
    return now - this.#resumedAt < backlogMs;
  }

  #lose(link: Link): void {
    this.#open.delete(link);
    if (link !== this.#current || Date.now() - this.#openedAt < shortLife) this.#failures += 1;
    if (link === this.#current) {
      this.#current = null;
      this.#options.onLost();
    }
    this.#wake();
  }

  #closeExcept(kept: Link | null): void {
    for (const link of this.#open) if (link !== kept) this.#close(link);
  }

  #close(link: Link): void {
    this.#open.delete(link);
    if (link === this.#current) this.#current = null;
    link.closing.abort();
  }
}
