/** What a host says about itself when it joins. */
export interface HostInfo {
  /** The name that people see. Several hosts may have the same. */
  readonly name: string;
  /** The pool whose work the host takes. */
  readonly pool?: string;
  /** The number of sessions that the host drives at most. */
  readonly capacity?: number;
  /** The version of Fairlead on the host. */
  readonly version?: string;
  /** Whether its process is stopped, and has announced that it comes back. */
  readonly absent?: boolean;
  /** Whether the host takes no more work, and lets its sessions move to other hosts. */
  readonly draining?: boolean;
}

/** A host that has joined. Disposing it announces that the host drives no session from now on. */
export interface Membership extends AsyncDisposable {
  /** Identifies the host as an owner of sessions in the log. A host that joins again gets another. */
  readonly owner: string;

  /**
   * Aborts when the host has expired: it could not announce for too long that it is alive, and other hosts may take its
   * sessions. The membership is over, and the host must join again as another owner. It does not abort when the host leaves.
   */
  readonly lost: AbortSignal;

  /** The milliseconds without an announcement after which the host expires. Infinity if it does not expire. */
  readonly expiry: number;

  /**
   * When the host began to announce that it is alive, for the newest announcement that succeeded, by `process.hrtime.bigint()`. The
   * host does not expire before `expiry` milliseconds after it.
   */
  confirmedAt(): bigint;

  /**
   * Announces whether the host drains. If it throws `unavailable`, the next announcement that the host is alive says so. Says
   * nothing after `absent`, and once the host has left.
   */
  setDraining(isDraining: boolean): Promise<void>;

  /**
   * Announces that the process stops and comes back: the owner counts as alive for so many milliseconds from now on, also when
   * the membership is disposed, and no longer unless it joins again. Throws `unavailable` if that cannot be stored; the host
   * then expires as one that died.
   */
  absent(milliseconds: number): Promise<void>;

  /** Ends the absences that earlier instances of this host have announced. To be called when it drives their sessions. */
  endAbsences(): Promise<void>;
}

/** A host that joined, or that no longer counts as alive. */
export interface HostChange {
  readonly owner: string;
  /** Null for a host that left or expired. */
  readonly host: HostInfo | null;
}

/**
 * The hosts that drive sessions. It only says where to look for an owner: the log alone decides who may write.
 * Methods throw `unavailable` when the storage cannot be reached.
 */
export interface Hosts {
  join(host: HostInfo): Promise<Membership>;

  /** Whether the owner of a session may still drive it. False for an owner that never joined, or that left or expired. */
  isAlive(owner: string): Promise<boolean>;

  /** Whether the owner is, or was, on another host, whose files and processes this one cannot see. */
  isElsewhere(owner: string): boolean;

  /** Returns the pool whose work an owner took; undefined if it took none, or is none of these hosts. */
  poolOf(owner: string): string | undefined;

  /** Yields all hosts that have joined, then each change. The iteration returns only when the signal aborts. */
  watch(signal: AbortSignal): AsyncIterable<HostChange>;
}
