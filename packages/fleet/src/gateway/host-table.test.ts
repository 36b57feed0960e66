import type { HostChange, Hosts } from "@fairlead/engine";
import { expect, test } from "vitest";
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
