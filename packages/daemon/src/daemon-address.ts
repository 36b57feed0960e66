/** Where a daemon listens beside its socket. */
export interface DaemonAddress {
  /** A TCP address of loopback, as it was typed; null for none. */
  readonly listen: string | null;
  /** The origins at which browsers reach that address through a tunnel or a reverse proxy. */
  readonly origins: readonly string[];
}
