import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { adoptServiceTime, onServiceClockChange, serviceNow } from "./service-clock.ts";

const serviceTime = "2026-11-19T10:00:00.000Z";
const minute = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => {
  adoptServiceTime(new Date().toISOString());
  vi.useRealTimers();
});

test.each([5 * minute, -5 * minute, 24 * 60 * minute])(
  "a device whose clock is %i ms ahead has the service's time",
  (ahead) => {
    vi.setSystemTime(Date.parse(serviceTime) + ahead);
    let changes = 0;
    const unsubscribe = onServiceClockChange(() => (changes += 1));
    adoptServiceTime(serviceTime);
    expect([new Date(serviceNow()).toISOString(), changes]).toEqual([serviceTime, 1]);
    vi.setSystemTime(Date.now() + minute);
    expect(serviceNow()).toBe(Date.parse(serviceTime) + minute);
    unsubscribe();
  },
);

test("a delay of the network moves no clock, and a service without a time neither", () => {
  vi.setSystemTime(Date.parse(serviceTime) + 1500);
  for (const time of [serviceTime, undefined, "not a time"]) adoptServiceTime(time);
  expect(serviceNow()).toBe(Date.now());
});

test("a frame that was held back is corrected by the next one", () => {
  vi.setSystemTime(serviceTime);
  adoptServiceTime(new Date(Date.now() - 10_000).toISOString());
  expect(serviceNow()).toBe(Date.now() - 10_000);
  adoptServiceTime(serviceTime);
  expect(serviceNow()).toBe(Date.now());
});
