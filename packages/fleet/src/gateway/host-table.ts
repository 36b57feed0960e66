import { setTimeout as delay } from "node:timers/promises";
import { hostOf, type HostInfo, type Hosts } from "@fairlead/engine";
import { defaultPool } from "../start-job.ts";

const retryDelay = 1000;

/** The hosts that have joined a fleet, kept current by a watch. */
export class HostTable implements AsyncDisposable {
  readonly #hosts: Hosts;
  readonly #members = new Map<string, HostInfo>();
  /** When the newest host of each pool joined, in milliseconds since 1970. */
  readonly #joins = new Map<string, number>();
  readonly #closing = new AbortController();
  readonly #watching: Promise<void>;

  readonly #onGone: () => void;

  /** `onGone` is called when a host has expired or left. */
  constructor(hosts: Hosts, onGone: () => void = () => {}) {
    this.#hosts = hosts;
    this.#onGone = onGone;
    this.#watching = this.#watch();
  }

  /** The ids of the hosts. */
  get ids(): readonly string[] {
    return [...new Set([...this.#members.keys()].flatMap((owner) => hostOf(owner) ?? []))];
  }

  /** The number of hosts of each pool that has or had one: an alert must see the pool that lost its last one. */
  get countByPool(): Readonly<Record<string, number>> {
    const counts = Object.fromEntries([...this.#joins.keys()].map((pool) => [pool, 0]));
    for (const { pool = defaultPool } of this.#members.values()) counts[pool] = (counts[pool] ?? 0) + 1;
    return counts;
  }

  /** Whether an owner has joined, as far as is known here. One that is not known may have joined a moment ago. */
  has(owner: string): boolean {
    return this.#members.has(owner);
  }

  /** When the newest host of a pool joined, in milliseconds since 1970, as far as is known here; 0 if none has. */
  newestJoin(pool: string): number {
    return this.#joins.get(pool) ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        for await (const { owner, host } of this.#hosts.watch(signal)) {
          if (host === null) {
            this.#members.delete(owner);
            this.#onGone();
          } else {
            if (!this.#members.has(owner)) this.#joins.set(host.pool ?? defaultPool, Date.now());
            this.#members.set(owner, host);
          }
        }
      } catch {
        // A watch that begins again yields all hosts that are there.
        await delay(retryDelay, undefined, { signal }).catch(() => {});
        this.#members.clear();
      }
    }
  }
}
