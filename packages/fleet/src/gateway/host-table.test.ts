import type { HostChange, Hosts } from "@fairlead/engine";
import { expect, onTestFinished, test, vi } from "vitest";
import { HostTable } from "./host-table.ts";

test("a pool that has lost its last host is counted with 0", async () => {
  const gone = Promise.withResolvers<void>();
  const watch = async function* (signal: AbortSignal): AsyncGenerator<HostChange> {
    yield { owner: "one", host: { name: "m1", pool: "big" } };
    yield { owner: "two", host: { name: "m2" } };
    await gone.promise;
    yield { owner: "one", host: null };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  await using table = new HostTable({ watch } as Partial<Hosts> as Hosts);
  await expect.poll(() => table.countByPool, { timeout: 60_000 }).toEqual({ big: 1, default: 1 });
  gone.resolve();
  await expect.poll(() => table.countByPool, { timeout: 60_000 }).toEqual({ big: 0, default: 1 });
});

test("a host that says something else about itself has not joined a second time", async () => {
  const [changed, joined] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const watch = async function* (signal: AbortSignal): AsyncGenerator<HostChange> {
    yield { owner: "one", host: { name: "m1", pool: "big" } };
    await changed.promise;
    yield { owner: "one", host: { name: "m1", pool: "big", draining: true } };
    yield { owner: "two", host: { name: "m2", pool: "small" } };
    await joined.promise;
    yield { owner: "three", host: { name: "m3", pool: "big" } };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  const now = vi.spyOn(Date, "now").mockReturnValue(1);
  onTestFinished(() => now.mockRestore());
  await using table = new HostTable({ watch } as Partial<Hosts> as Hosts);
  expect(table.newestJoin("big")).toBe(0);
  await vi.waitUntil(() => table.has("one"), 60_000);
  now.mockReturnValue(2);
  changed.resolve();
  await vi.waitUntil(() => table.has("two"), 60_000);
  expect(["big", "small"].map((pool) => table.newestJoin(pool))).toEqual([1, 2]);
  joined.resolve();
  await vi.waitUntil(() => table.has("three"), 60_000);
  expect(table.newestJoin("big")).toBe(2);
});
