import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { identity, isAlive, processStatus } from "./process-identity.ts";
import { findTree, killTree } from "./process-tree.ts";
import { until } from "./session-for-test.ts";

test("an identity is alive only for the process it was taken from", () => {
  const own = identity(process.pid);
  if (own === null) throw new Error("We are not alive.");
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, startTime: own.startTime - 1 })).toBe(false);
  expect(isAlive({ ...own, bootId: "another boot" })).toBe(false);
  expect(identity(2 ** 22 + 1)).toBeNull();
});

test("a zombie counts as dead", async () => {
  // The shell becomes a sleep, which never collects the child that the shell had started.
  const child = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 100"], { stdio: ["ignore", "pipe", "ignore"] });
  using _ = { [Symbol.dispose]: () => child.kill("SIGKILL") };
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  const pid = Number(text.toString());
  await until(() => processStatus(pid)?.state === "Z");
  expect(identity(pid)).toBeNull();
});

test("a child that has shed its marks is found through its parent, and killed though the parent dies first", async () => {
  const mark = `KEEPER_TEST_MARK=${process.pid}`;
  const script =
    "(setsid env -i /bin/sh -c 'trap \"\" TERM; echo ready; for n in $(/usr/bin/seq 200); do /bin/sleep 0.1; done' & wait) & wait";
  const child = spawn("sh", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"], KEEPER_TEST_MARK: String(process.pid) },
  });
  await once(child.stdout, "data");
  const root = { pid: child.pid ?? 0, marks: [mark] };
  const before = findTree(root, []);
  expect(before.length).toBeGreaterThanOrEqual(3);
  const ladder = [
    { signal: "SIGTERM", patience: 100 },
    { signal: "SIGKILL", patience: 2000 },
  ] as const;
  expect(await killTree(root, ladder)).toBe(true);
  expect(before.filter((status) => identity(status.pid)?.startTime === status.startTime)).toEqual([]);
});
