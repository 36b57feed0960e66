import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { listedBelow } from "./listed-below.ts";
import { descendantsOf } from "./process-tree.ts";

test("what the kernel lists below a process is what looking at every process finds", async () => {
  const script = "(sleep 100 & sleep 100 & echo ready; wait) & wait";
  const child = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  using _ = { [Symbol.dispose]: () => process.kill(-(child.pid ?? 0), "SIGKILL") };
  await once(child.stdout, "data");
  const listed = listedBelow(child.pid ?? 0);
  expect(listed).toHaveLength(3);
  expect(listed.toSorted((a, b) => a - b)).toEqual(descendantsOf(child.pid ?? 0).toSorted((a, b) => a - b));
});

test("below a process that is not there is nothing", () => {
  expect(listedBelow(2 ** 22 + 1)).toEqual([]);
});
