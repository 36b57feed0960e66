import { setTimeout as delay } from "node:timers/promises";
import { GateNamespace } from "./gate-namespace.ts";
import { loadGateServer } from "./lazy-gate-server.ts";

/** By then the keeper of a session that has ended is gone. */
const nextLaunchDelayMs = 500;

/** Has at most one network namespace ready for the next launch with a gate, which then need not wait for a Node process. */
export class PreparedGates implements Disposable {
  #ready: GateNamespace | null = null;
  #preparing: Promise<void> | null = null;
  /** The ports of the last launch, with which the next one will probably have a gate. */
  #ports: readonly number[] | null = null;
  #isWanted = false;
  #canPrepare = true;
  readonly #taken = new Set<GateNamespace>();

  /** Prepares a namespace, unless there is one. Settles when it is ready, or if there can be none. `program` is bubblewrap. */
  async prepare(program: string): Promise<void> {
    if (!this.#canPrepare) return;
    this.#isWanted = true;
    if (this.#ready === null) await (this.#preparing ??= this.#prepare(program));
  }

  /** Prepares a namespace a little later, for the next launch of a session whose last one had a gate. */
  async prepareNext(program: string): Promise<void> {
    await delay(nextLaunchDelayMs, undefined, { ref: false });
    await this.prepare(program);
  }

  /** Returns a namespace for a gate with these ports, or null if none is ready. */
  take(ports: readonly number[]): GateNamespace | null {
    this.#ports = ports;
    const namespace = this.#ready;
    this.#ready = null;
    if (namespace === null) return null;
    if (!namespace.hasRoomFor(ports)) {
      namespace[Symbol.dispose]();
      return null;
    }
    this.#taken.add(namespace);
    return namespace;
  }

  /** Takes back a namespace in which no process is left. The next launch gets it, unless it is damaged. */
  giveBack(namespace: GateNamespace, isUsable: boolean): void {
    this.#taken.delete(namespace);
    if (isUsable) this.#keep(namespace);
    else namespace[Symbol.dispose]();
  }

  /** Removes what was prepared. */
  discard(): void {
    this.#isWanted = false;
    this.#ready?.[Symbol.dispose]();
    this.#ready = null;
  }

  [Symbol.dispose](): void {
    this.#canPrepare = false;
    this.discard();
    for (const namespace of this.#taken) namespace[Symbol.dispose]();
    this.#taken.clear();
  }

  #keep(namespace: GateNamespace): void {
    if (this.#ready === null && this.#isWanted) this.#ready = namespace;
    else namespace[Symbol.dispose]();
  }

  async #prepare(program: string): Promise<void> {
    try {
      const [namespace] = await Promise.all([GateNamespace.prepare(program), loadGateServer()]);
      this.#keep(namespace);
      // If the ports are known, no program needs to wait for them.
      if (this.#ports !== null) await this.#ready?.listen(this.#ports);
    } catch {
      // Each launch then creates its own.
      this.#canPrepare = false;
      this.discard();
    } finally {
      this.#preparing = null;
    }
  }
}
