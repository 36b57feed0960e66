import type { Claim } from "./claim.ts";

/** One figure beside its bare floor: what the same machine does in the same run without Fairlead. */
export interface Figure {
  readonly name: string;
  readonly measured: string;
  readonly floor: string;
  readonly ratio: string;
  readonly bound: string;
  readonly holds: boolean;
}

export interface Benchmark {
  readonly id: string;
  readonly statement: string;
  readonly bound: string;
  measure(): Promise<readonly Figure[]>;
}

/** A benchmark as a claim. */
export function claimFromBenchmark(benchmark: Benchmark): Claim {
  return {
    ...benchmark,
    async prove() {
      const figures = await benchmark.measure();
      const descriptions = figures.map(
        ({ name, measured, floor, ratio }) => `${name} ${measured} (bare ${floor}, ${ratio})`,
      );
      return { measured: descriptions.join("; "), holds: figures.every(({ holds }) => holds) };
    },
  };
}
