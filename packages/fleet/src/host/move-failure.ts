/** A session that could not move to this host, or away from it. */
export interface MoveFailure {
  readonly session: string;
  /** `arrival`: this host could not take it. `departure`: it stays on this host. */
  readonly move: "arrival" | "departure";
  /** Why. */
  readonly error: unknown;
}
