/** Times below this are noise: a compiler or a collector ran. A quadratic function takes seconds at the sizes of tests. */
const noiseMs = 50;

/**
 * Measures how much longer a function takes at four times the size: about 4 if its time is linear, 16 if quadratic, and 1
 * if it is too fast to tell. Counts processor time of this thread, because other processes slow the machine down, and
 * takes the fastest of several runs.
 */
export function measureGrowth(run: (size: number) => unknown, size: number): number {
  run(size); // compiles it
  const after = fastest(() => run(4 * size));
  return after < noiseMs ? 1 : after / fastest(() => run(size));
}

function fastest(run: () => unknown): number {
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const start = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
