import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { readProcessIdentity, isProcessAlive, readProcessStatus } from "./process-identity.ts";
import { findProcessTree, killProcessTree } from "./kill-process-tree.ts";
import { until } from "@fairlead/testing/keeper/test-session-folder.ts";

test("an identity matches only the process that it was read from", () => {
  const own = readProcessIdentity(process.pid);
  if (own === null) throw new Error("This process has no identity.");
  expect(isProcessAlive(own)).toBe(true);
  expect(isProcessAlive({ ...own, startTime: own.startTime - 1 })).toBe(false);
  expect(isProcessAlive({ ...own, bootId: "another boot" })).toBe(false);
  expect(readProcessIdentity(2 ** 22 + 1)).toBeNull();
});

test("a zombie counts as ended", async () => {
  // The shell replaces itself with sleep, which never waits for the child that the shell has started.
  const child = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 100"], { stdio: ["ignore", "pipe", "ignore"] });
  using _ = { [Symbol.dispose]: () => child.kill("SIGKILL") };
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  const pid = Number(text.toString());
  await until(() => readProcessStatus(pid)?.state === "Z");
  expect(readProcessIdentity(pid)).toBeNull();
});

test("kills a child without environment markers that was found through its parent, even if the parent dies first", async () => {
  const marker = `KEEPER_TEST_MARKER=${process.pid}`;
  const script =
    "(setsid env -i /bin/sh -c 'trap \"\" TERM; echo ready; for n in $(/usr/bin/seq 200); do /bin/sleep 0.1; done' & wait) & wait";
  const child = spawn("sh", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"], KEEPER_TEST_MARKER: String(process.pid) },
  });
  await once(child.stdout, "data");
  const root = { pid: child.pid ?? 0, envMarkers: [marker] };
  const before = findProcessTree(root, []);
  expect(before.length).toBeGreaterThanOrEqual(3);
  const steps = [
    { signal: "SIGTERM", waitMs: 100 },
    { signal: "SIGKILL", waitMs: 2000 },
  ] as const;
  expect(await killProcessTree(root, steps)).toBe(true);
  expect(before.filter((status) => readProcessIdentity(status.pid)?.startTime === status.startTime)).toEqual([]);
});
