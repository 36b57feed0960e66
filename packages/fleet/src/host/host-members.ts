import type { HostChange, HostInfo, Hosts, Membership } from "@fairlead/engine";

/**
 * The hosts of a fleet as one host sees them. Earlier processes of this host are dead, although their entries expire later: only
 * one process at a time has the data directory.
 */
export class HostMembers implements Hosts {
  readonly #hosts: Hosts;
  readonly #own = new Set<string>();
  #membership: Membership | null = null;
  readonly #facts: Omit<HostInfo, "name">;
  readonly #onLost: () => void;

  /** `facts` are announced when the host joins. `onLost` is called when a membership has expired. */
  constructor(hosts: Hosts, facts: Omit<HostInfo, "name">, onLost: () => void) {
    this.#hosts = hosts;
    this.#facts = facts;
    this.#onLost = onLost;
  }

  /** What this process has joined as, or null. */
  get membership(): Membership | null {
    return this.#membership;
  }

  async join(host: HostInfo): Promise<Membership> {
    const membership = await this.#hosts.join({ ...host, ...this.#facts });
    const { owner, lost, expiry } = membership;
    let isAbsent = false;
    this.#own.add(owner);
    if (lost.aborted) this.#onLost();
    else lost.addEventListener("abort", this.#onLost, { once: true });
    this.#membership = {
      owner,
      lost,
      expiry,
      confirmedAt: () => membership.confirmedAt(),
      setDraining: (isDraining) => membership.setDraining(isDraining),
      absent: async (milliseconds) => {
        isAbsent = true;
        await membership.absent(milliseconds);
      },
      endAbsences: () => membership.endAbsences(),
      [Symbol.asyncDispose]: async () => {
        this.#own.delete(owner);
        lost.removeEventListener("abort", this.#onLost);
        // Agents continue without this process. Another host must not start them before their keepers have ended them.
        if (!isAbsent && Number.isFinite(expiry)) await membership.absent(expiry).catch(() => {});
        await membership[Symbol.asyncDispose]();
      },
    };
    return this.#membership;
  }

  /** Whether the owner has joined in this process, and has not left. */
  isOwn(owner: string): boolean {
    return this.#own.has(owner);
  }

  async isAlive(owner: string): Promise<boolean> {
    return this.#own.has(owner) || (this.isElsewhere(owner) && (await this.#hosts.isAlive(owner)));
  }

  isElsewhere(owner: string): boolean {
    return this.#hosts.isElsewhere(owner);
  }

  poolOf(owner: string): string | undefined {
    return this.#hosts.poolOf(owner);
  }

  watch(signal: AbortSignal): AsyncIterable<HostChange> {
    return this.#hosts.watch(signal);
  }
}
