/** Times below this are noise. A function that is faster at four times the size counts as linear. */
const noiseMs = 20;

/**
 * Measures how much longer a function takes at four times the size: about 4 if its time is linear, 16 if quadratic. Takes
 * the fastest of several runs, because other processes slow single runs down.
 */
export function measureGrowth(run: (size: number) => unknown, size: number): number {
  const after = fastest(() => run(4 * size));
  return after < noiseMs ? 1 : after / fastest(() => run(size));
}

function fastest(run: () => unknown): number {
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
