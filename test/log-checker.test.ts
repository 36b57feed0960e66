import { describe, expect, test } from "vitest";
import { addFaults, hasFaults, LogChecker, noFaults, writeEvent } from "../claims/fleet-lossless/log-checker.ts";

interface PlantedBatch {
  readonly first: number;
  readonly numbers: readonly number[];
  readonly epoch?: number;
}

function check(acknowledged: number, ...batches: readonly PlantedBatch[]): ReturnType<LogChecker["finish"]> {
  const checker = new LogChecker("one");
  for (const { first, numbers, epoch = 1 } of batches) {
    checker.add({ epoch, first, events: numbers.map((number) => writeEvent("one", number)) });
  }
  return checker.finish(acknowledged);
}

describe("the checker of fleet-lossless", () => {
  test("finds nothing wrong in a log that has what was acknowledged", () => {
    const faults = check(5, { first: 1, numbers: [1, 2, 3] }, { first: 4, numbers: [4, 5], epoch: 2 });
    expect(faults).toEqual(noFaults);
    expect(hasFaults(faults)).toBe(false);
  });

  test("finds a lost event", () => {
    expect(check(4, { first: 1, numbers: [1, 2, 4] })).toEqual({ ...noFaults, lost: 1 });
    expect(check(2)).toEqual({ ...noFaults, lost: 2 });
  });

  test("finds a doubled event", () => {
    const faults = check(2, { first: 1, numbers: [1, 2] }, { first: 3, numbers: [2] });
    expect(faults).toEqual({ ...noFaults, doubled: 1 });
    expect(hasFaults(faults)).toBe(true);
  });

  test("finds a reordered event", () => {
    expect(check(3, { first: 1, numbers: [1, 3, 2] })).toEqual({ ...noFaults, reordered: 1 });
  });

  test("finds an event that its writer does not know to be stored", () => {
    expect(check(1, { first: 1, numbers: [1, 2] })).toEqual({ ...noFaults, unknown: 1 });
  });

  test("finds a gap in the numbering, and a lower epoch", () => {
    const batches = [
      { first: 1, numbers: [1], epoch: 2 },
      { first: 3, numbers: [2], epoch: 1 },
    ] as const;
    expect(check(2, ...batches)).toEqual({ ...noFaults, numberingBreaks: 1, epochDecreases: 1 });
  });

  test("does not take an event of another session for one of its own", () => {
    const checker = new LogChecker("one");
    expect(() => checker.add({ epoch: 1, first: 1, events: [writeEvent("two", 1)] })).toThrow("an event of two");
  });

  test("adds the faults of sessions", () => {
    const one = { ...noFaults, lost: 1 };
    expect(addFaults(one, { ...one, doubled: 2 })).toEqual({ ...noFaults, lost: 2, doubled: 2 });
  });
});
