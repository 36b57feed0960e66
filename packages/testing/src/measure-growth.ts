/** Times below this are noise: a compiler or a collector ran. A quadratic function takes seconds at the sizes of tests. */
const noiseMs = 50;

/** A ratio below this needs no more rounds. It lies well between linear (4) and quadratic (16). */
const clearlyLinear = 8;

/**
 * Measures how much longer a function takes at four times the size: about 4 if its time is linear, 16 if quadratic, and 1
 * if it is too fast to tell. Counts processor time of this thread, because other processes slow the machine down, and
 * takes the fastest of 3 to 8 runs: a neighbor on the same core slows processor time down too, but not every run.
 */
export function measureGrowth(run: (size: number) => unknown, size: number): number {
  run(size); // compiles it
  let before = Infinity;
  let after = Infinity;
  for (let round = 1; round <= 8; round++) {
    after = Math.min(
      after,
      measureMs(() => run(4 * size)),
    );
    if (after < noiseMs) return 1;
    before = Math.min(
      before,
      measureMs(() => run(size)),
    );
    if (round >= 3 && after / before < clearlyLinear) break;
  }
  return after / before;
}

function measureMs(run: () => unknown): number {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
