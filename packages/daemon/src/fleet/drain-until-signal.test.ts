import { expect, test } from "vitest";
import { drainUntilSignal } from "./drain-until-signal.ts";

type DrainReport = NonNullable<Awaited<ReturnType<typeof drainUntilSignal>>>;

const report: DrainReport = { moved: ["a"], ended: [], left: [] };

test("a drain ends with its report, and leaves no listener that would swallow a signal", async () => {
  const before = process.listenerCount("SIGTERM");
  await expect(drainUntilSignal({ drain: () => Promise.resolve(report) })).resolves.toEqual(report);
  expect(process.listenerCount("SIGTERM")).toBe(before);
});

test("another signal ends a drain whose turns do not end", async () => {
  const drain = async (signal?: AbortSignal): Promise<DrainReport> =>
    await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
  const draining = drainUntilSignal({ drain });
  process.emit("SIGTERM", "SIGTERM");
  await expect(draining).resolves.toBeNull();
});

test("an error that no signal caused is thrown", async () => {
  const drain = (): Promise<DrainReport> => Promise.reject(new Error("no servers"));
  await expect(drainUntilSignal({ drain })).rejects.toThrow("no servers");
});
