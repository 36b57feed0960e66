import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startTimer } from "./start-timer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const day = 24 * 60 * 60 * 1000;

test.each([0, 1, 1000, 24 * day, 2 ** 31 - 1, 2 ** 31, 25 * day, 400 * day])("calls back once after %d ms", (delay) => {
  const callback = vi.fn();
  startTimer(delay, callback);
  if (delay > 1) vi.advanceTimersByTime(delay - 1);
  expect(callback).toHaveBeenCalledTimes(0);
  vi.advanceTimersByTime(1);
  expect(callback).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1000 * day);
  expect(callback).toHaveBeenCalledTimes(1);
});

test.each([1000, 400 * day])("does not call back after it is disposed (%d ms)", (delay) => {
  const callback = vi.fn();
  const timer = startTimer(delay, callback);
  vi.advanceTimersByTime(delay - 1);
  timer[Symbol.dispose]();
  vi.advanceTimersByTime(1000 * day);
  expect(callback).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
