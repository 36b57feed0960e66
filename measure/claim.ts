/** A public claim with its proof. The documents contain no number that no claim prints. */
export interface Claim {
  readonly id: string;
  readonly statement: string;
  readonly bound: string;
  prove(): Promise<Proof>;
}

export interface Proof {
  readonly measured: string;
  readonly holds: boolean;
}
