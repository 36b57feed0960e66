import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { RunEvent, RunEventBody } from "@fairlead/api";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunLog } from "./run-log.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-run-log-"));
  file = join(folder, "foreman", "runs.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const pushed = (branch: string): RunEventBody => ({
  type: "branch.pushed",
  branch,
  commit: "c",
  tree: "t",
  remote: "r",
});
const resolved = (outcome: "allowed" | "denied", by: string) =>
  ({ type: "decision.resolved", decision: "d1", outcome, by }) as const;
const ended: RunEventBody = { type: "run.ended", outcome: "done", reason: "" };
const branchOf = ({ body }: RunEvent): string => (body.type === "branch.pushed" ? body.branch : "");

test("appends an event once per key, also after it was opened again", async () => {
  {
    await using log = await RunLog.open(file);
    const first = await log.append("run-1", "a", pushed("one"));
    expect(first).toMatchObject({ run: "run-1", seq: 1, body: { branch: "one" } });
    expect(await log.append("run-1", "a", pushed("two"))).toEqual(first);
    expect(await log.append("run-2", "a", pushed("three"))).toMatchObject({ run: "run-2", seq: 1 });
  }
  await using log = await RunLog.open(file);
  expect(await log.append("run-1", "a", pushed("four"))).toMatchObject({ seq: 1, body: { branch: "one" } });
  expect(await log.append("run-1", "b", pushed("five"))).toMatchObject({ seq: 2 });
  expect((await log.read("run-1")).map(branchOf)).toEqual(["one", "five"]);
  expect((await log.read("run-1", 1)).map(branchOf)).toEqual(["five"]);
});

test("gives events that are appended at the same time numbers without gaps", async () => {
  await using log = await RunLog.open(file);
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => log.append("run-1", `k${index % 25}`, pushed(`${index}`))),
  );
  const events = await log.read("run-1");
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
});

test("lets two processes append to one run, each key once", async () => {
  const module = new URL("run-log.ts", import.meta.url).href;
  const script = `
    import { RunLog } from ${JSON.stringify(module)};
    await using log = await RunLog.open(process.argv[1]);
    for (let n = 0; n < 100; n++)
      await log.append("run-1", "k" + n, { type: "branch.pushed", branch: process.argv[2], commit: "c", tree: "t", remote: "r" });
  `;
  const run = (name: string) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, file, name]);
  await Promise.all([run("one"), run("two"), run("three")]);
  await using log = await RunLog.open(file);
  const events = await log.read("run-1");
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
}, 30_000);

test("reads what another process appended before it appends the same key", async () => {
  await using first = await RunLog.open(file);
  await using second = await RunLog.open(file);
  await first.append("run-1", "a", pushed("one"));
  await second.append("run-1", "b", pushed("two"));
  expect(await first.append("run-1", "b", pushed("other"))).toMatchObject({ seq: 2, body: { branch: "two" } });
  expect(await first.append("run-1", "c", pushed("three"))).toMatchObject({ seq: 3 });
});

test("keeps the first resolution of a decision", async () => {
  await using first = await RunLog.open(file);
  await using second = await RunLog.open(file);
  expect(await first.resolve("run-1", resolved("allowed", "ann"))).toMatchObject({ outcome: "allowed", by: "ann" });
  expect(await second.resolve("run-1", resolved("denied", "ben"))).toMatchObject({ outcome: "allowed", by: "ann" });
  expect(await first.resolve("run-1", resolved("denied", "ann"))).toMatchObject({ outcome: "allowed", by: "ann" });
  expect(await first.read("run-1")).toHaveLength(1);
});

test("returns the event of a key also after the run has ended", async () => {
  await using log = await RunLog.open(file);
  await log.append("run-1", "a", pushed("one"));
  const last = await log.append("run-1", "end", ended);
  expect(await log.append("run-1", "end", ended)).toEqual(last);
  expect(await log.append("run-1", "a", pushed("two"))).toMatchObject({ seq: 1 });
  expect(await log.read("run-1")).toHaveLength(2);
});

test("lists the runs, newest activity first", async () => {
  await using log = await RunLog.open(file);
  await log.append("run-1", "a", pushed("one"));
  await log.append("run-2", "a", pushed("one"));
  await log.append("run-1", "b", pushed("two"));
  expect(await Array.fromAsync(log.runs())).toEqual(["run-1", "run-2"]);
  expect([await log.has("run-1"), await log.has("run-3")]).toEqual([true, false]);
  expect(await log.read("run-3")).toEqual([]);
});

test("watches what another process appends", async () => {
  await using log = await RunLog.open(file);
  await using other = await RunLog.open(file);
  await log.append("run-1", "a", pushed("one"));
  const seen: string[] = [];
  const watching = (async () => {
    for await (const event of log.watch("run-1", 0, AbortSignal.timeout(10_000))) {
      seen.push(branchOf(event));
      if (seen.length === 2) break;
    }
  })();
  await other.append("run-1", "b", pushed("two"));
  await watching;
  expect(seen).toEqual(["one", "two"]);
});
