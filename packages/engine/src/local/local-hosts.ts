import { hostname } from "node:os";
import type { HostChange, HostInfo, Hosts, Membership } from "../hosts.ts";
import { hostOf, isOwnerAlive, OwnerRegistration } from "./owner.ts";

/**
 * The hosts of one machine. An owner is a process, and the kernel knows whether it runs, so that nothing has to expire.
 * `watch` knows the members of this process only: on one machine no other process serves its clients.
 */
export class LocalHosts implements Hosts {
  readonly #members = new Map<string, HostInfo>();
  readonly #watchers = new Set<(change: HostChange) => void>();
  /** Ends the absence of each member that has left for a while. */
  readonly #absences = new Set<() => void>();

  join(host: HostInfo): Promise<Membership> {
    const registration = new OwnerRegistration();
    const { owner } = registration;
    let current = host;
    const announce = (): void => {
      this.#members.set(owner, current);
      this.#notify({ owner, host: current });
    };
    announce();
    const leave = (): void => {
      this.#absences.delete(leave);
      registration[Symbol.dispose]();
      if (this.#members.delete(owner)) this.#notify({ owner, host: null });
    };
    // A process that has ended is dead, whatever it announced. So this serves those that use the same process.
    const absent = async (milliseconds: number): Promise<void> => {
      this.#absences.add(leave);
      setTimeout(leave, milliseconds).unref();
      current = { ...current, absent: true };
      announce();
    };
    const setDraining = async (isDraining: boolean): Promise<void> => {
      const { draining: _, ...others } = current;
      if (current.absent === true || !this.#members.has(owner)) return;
      current = isDraining ? { ...others, draining: true } : others;
      announce();
    };
    // A process that runs cannot expire.
    const { signal: lost } = new AbortController();
    return Promise.resolve({
      owner,
      lost,
      expiry: Infinity,
      confirmedAt: () => process.hrtime.bigint(),
      setDraining,
      absent,
      endAbsences: async () => {
        for (const end of this.#absences) if (end !== leave) end();
      },
      [Symbol.asyncDispose]: async () => {
        if (!this.#absences.has(leave)) leave();
      },
    });
  }

  isAlive(owner: string): Promise<boolean> {
    return Promise.resolve(isOwnerAlive(owner));
  }

  isElsewhere(owner: string): boolean {
    const host = hostOf(owner);
    return host !== undefined && host !== hostname();
  }

  poolOf(): undefined {
    return undefined;
  }

  async *watch(signal: AbortSignal): AsyncGenerator<HostChange> {
    const changes = [...this.#members].map(([owner, host]): HostChange => ({ owner, host }));
    let wake = Promise.withResolvers<void>();
    const watcher = (change: HostChange): void => {
      changes.push(change);
      wake.resolve();
    };
    const onAbort = (): void => wake.resolve();
    this.#watchers.add(watcher);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      while (!signal.aborted) {
        const change = changes.shift();
        if (change !== undefined) {
          yield change;
          continue;
        }
        await wake.promise;
        wake = Promise.withResolvers();
      }
    } finally {
      this.#watchers.delete(watcher);
      signal.removeEventListener("abort", onAbort);
    }
  }

  #notify(change: HostChange): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}
