import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { readKernelDescendants } from "./kernel-descendants.ts";
import { descendantsOf } from "./kill-process-tree.ts";

test("returns the same descendants as a scan of all processes", async () => {
  const script = "(sleep 100 & sleep 100 & echo ready; wait) & wait";
  const child = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  using _ = { [Symbol.dispose]: () => process.kill(-(child.pid ?? 0), "SIGKILL") };
  await once(child.stdout, "data");
  const descendants = readKernelDescendants(child.pid ?? 0);
  expect(descendants).toHaveLength(3);
  expect(descendants.toSorted((a, b) => a - b)).toEqual(descendantsOf(child.pid ?? 0).toSorted((a, b) => a - b));
});

test("returns nothing for a process that does not exist", () => {
  expect(readKernelDescendants(2 ** 22 + 1)).toEqual([]);
});
