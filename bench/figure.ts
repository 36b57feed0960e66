import type { Claim } from "../claims/claim.ts";

/** One number beside the least that it could be: what the same machine does in the same run without us. */
export interface Figure {
  readonly name: string;
  readonly measured: string;
  readonly floor: string;
  readonly ratio: string;
  readonly bound: string;
  readonly holds: boolean;
}

export interface Bench {
  readonly id: string;
  readonly says: string;
  readonly bound: string;
  measure(): Promise<readonly Figure[]>;
}

/** A bench as a claim, so that it is proven with the others. */
export function claimOf(bench: Bench): Claim {
  return {
    ...bench,
    async prove() {
      const figures = await bench.measure();
      const told = figures.map(({ name, measured, floor, ratio }) => `${name} ${measured} (bare ${floor}, ${ratio})`);
      return { measured: told.join("; "), holds: figures.every(({ holds }) => holds) };
    },
  };
}
