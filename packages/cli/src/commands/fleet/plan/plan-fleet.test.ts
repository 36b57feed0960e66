import { expect, test } from "vitest";
import { costOfFrame, type MeasuredCosts } from "./measured-costs.ts";
import { planFleet } from "./plan-fleet.ts";

const costs: MeasuredCosts = {
  machine: "a machine",
  measuredAt: "2026-01-01",
  server: "2.15.1",
  eventsPerFrame: 10,
  bytesPerFrame: 300,
  bytesPerEvent: 100,
  appendMilliseconds: 10,
  rowMicroseconds: 100,
  bytesPerSession: 4_000,
  frames: [
    { streams: 16, inFlight: 1, microseconds: 800 },
    { streams: 16, inFlight: 4, microseconds: 200 },
    { streams: 1, inFlight: 1, microseconds: 1_600 },
  ],
};
const machines = { cores: 8, streams: 16, sessionsPerHost: 100 };

test("the cost of a frame is between those that were measured", () => {
  expect(costOfFrame(costs, 16, 1)).toBe(800);
  expect(costOfFrame(costs, 16, 2)).toBeCloseTo(400);
  expect(costOfFrame(costs, 20, 100)).toBe(200);
  expect(costOfFrame(costs, 16, 0.1)).toBe(800);
  expect(costOfFrame(costs, 2, 9)).toBe(1_600);
});

test("events that arrive together are one frame", () => {
  const load = { sessions: 1_000, rate: 10_000, pace: 250 };
  const plan = planFleet(load, machines, costs);
  expect(plan).toMatchObject({
    framesPerSecond: 4_000,
    eventsPerFrame: 2.5,
    rowsPerSecond: 1_000,
    cells: 1,
    hosts: 10,
  });
  expect(plan.diskBytesPerDay).toBe((4_000 * 300 + 10_000 * 100) * 86_400);
  expect(planFleet({ ...load, rate: 1_000 }, machines, costs).framesPerSecond).toBe(1_000);
  expect(planFleet({ ...load, pace: 0 }, machines, costs).framesPerSecond).toBe(10_000);
});

test("a cell is at most 40 % busy, and more cells need more in all", () => {
  const load = { sessions: 100_000, rate: 1_000_000, pace: 250 };
  const plan = planFleet(load, machines, costs);
  expect(plan.busyCores / plan.cells).toBeLessThanOrEqual(9.6);
  expect(plan.cells).toBeGreaterThan(1);
  expect(planFleet(load, { ...machines, cores: 16 }, costs).cells).toBeLessThan(plan.cells);
});
