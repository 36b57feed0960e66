/** Times below this are noise: a compiler or a collector ran. A quadratic function takes seconds at the sizes of tests. */
const noiseMs = 50;

/** The clock of a thread may report nothing for less. A shorter run is repeated. */
const measurableMs = 10;
const maxRepeats = 100;

/** An exponent below this needs no more rounds. */
const clearlyLinear = 1.3;

/**
 * Measures how the time of a function grows with the size: returns about 1 if the time is linear, 2 if it is quadratic, and
 * 0 if the function is too fast to tell. Compares a quarter of the size with four times the size: over a smaller distance,
 * a collector or a neighbor on the same core can make linear look like quadratic. Counts processor time of this thread,
 * because other processes slow the machine down, and takes the fastest of 3 to 8 runs.
 */
export function measureGrowthExponent(run: (size: number) => unknown, size: number): number {
  run(size); // compiles it
  let before = Infinity;
  let after = Infinity;
  for (let round = 1; round <= 8; round++) {
    after = Math.min(
      after,
      measureMs(() => run(4 * size)),
    );
    if (after < noiseMs) return 0;
    before = Math.min(
      before,
      measureMs(() => run(size / 4)),
    );
    if (round >= 3 && exponentOf(after / before) < clearlyLinear) break;
  }
  return exponentOf(after / before);
}

const exponentOf = (growthAtSixteenTimes: number): number => Math.log(growthAtSixteenTimes) / Math.log(16);

function measureMs(run: () => unknown): number {
  const start = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    run();
    const { user, system } = process.threadCpuUsage(start);
    const elapsedMs = (user + system) / 1000;
    if (elapsedMs >= measurableMs || runs === maxRepeats) return elapsedMs / runs;
  }
}
