/** A public claim, with what proves it. No number stands in the docs that no claim prints. */
export interface Claim {
  readonly id: string;
  readonly says: string;
  readonly bound: string;
  prove(): Promise<Proof>;
}

export interface Proof {
  readonly measured: string;
  readonly holds: boolean;
}
