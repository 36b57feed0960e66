import type { Hosts } from "@fairlead/engine";
import type {
  LogPosition,
  NameHolder,
  SessionIndex,
  SessionPageOptions,
  SessionRow,
  SessionRowChange,
  SessionRowCount,
  SessionRowPage,
  SessionRowQuery,
} from "@fairlead/journal";

export interface HostIndexOptions {
  /** The index in this host's data directory. The caller closes it. */
  readonly local: SessionIndex;
  /** The index of the fleet. The caller closes it. */
  readonly fleet: SessionIndex;
  readonly hosts: Pick<Hosts, "isElsewhere">;
}

/**
 * The index of a fleet as one host sees it: queries find the sessions of this host, from an index in its data directory. Each
 * row is written to the index of the fleet as well, where gateways read it, and names are unique in the fleet. So a host needs
 * no copy of all rows of the fleet.
 */
export class HostIndex implements SessionIndex {
  readonly #local: SessionIndex;
  readonly #fleet: SessionIndex;
  readonly #hosts: Pick<Hosts, "isElsewhere">;

  constructor({ local, fleet, hosts }: HostIndexOptions) {
    this.#local = local;
    this.#fleet = fleet;
    this.#hosts = hosts;
  }

  /** Writes nothing for a session of another host: that one writes its row, and the one that is here is old. */
  async put(row: SessionRow): Promise<boolean> {
    if (this.#hosts.isElsewhere(row.owner)) {
      await this.removeOlder(row.session, row.epoch);
      return false;
    }
    // In this order: if the process is killed in between, the row in the data directory is behind and is written again.
    const isWritten = await this.#fleet.put(row);
    await this.#local.put(row);
    return isWritten;
  }

  /** The fleet's row of a session of this host does not count: without its own row, the session would be in no list here. */
  async get(session: string): Promise<SessionRow | undefined> {
    const own = await this.#local.get(session);
    if (own !== undefined) return own;
    const row = await this.#fleet.get(session);
    return row !== undefined && this.#hosts.isElsewhere(row.owner) ? row : undefined;
  }

  /**
   * Removes the row in the data directory of a session that another host has had since an epoch. Otherwise this host would list
   * and recover it. A row of a later epoch stays: the session has come back.
   */
  async removeOlder(session: string, epoch: number): Promise<void> {
    const row = await this.#local.get(session);
    if (row !== undefined && row.epoch <= epoch) await this.#local.remove(session);
  }

  async remove(session: string): Promise<void> {
    await this.#fleet.remove(session);
    await this.#local.remove(session);
  }

  page(query: SessionRowQuery, options?: SessionPageOptions): Promise<SessionRowPage> {
    return this.#local.page(query, options);
  }

  count(query: SessionRowQuery): Promise<readonly SessionRowCount[]> {
    return this.#local.count(query);
  }

  watch(query: SessionRowQuery, signal: AbortSignal): AsyncIterable<SessionRowChange> {
    return this.#local.watch(query, signal);
  }

  take(name: string, holder: NameHolder, replaces?: string): Promise<NameHolder> {
    return this.#fleet.take(name, holder, replaces);
  }

  release(name: string, session: string): Promise<void> {
    return this.#fleet.release(name, session);
  }

  get replacements(): number {
    return this.#local.replacements;
  }

  readPosition(): Promise<LogPosition | null> {
    return this.#local.readPosition();
  }

  writePosition(position: LogPosition): Promise<void> {
    return this.#local.writePosition(position);
  }

  /** Does nothing: the caller closes both indexes. */
  async [Symbol.asyncDispose](): Promise<void> {}
}
