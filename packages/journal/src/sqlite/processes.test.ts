import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { counted, told } from "../conformance/author.ts";
import { lastOf } from "../cut-frame.ts";
import type { Claim } from "../ownership.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";
import { prepareRival, startRival } from "./rival/start-rival.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-processes-"));
  file = join(folder, "journal.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a writer killed at any instant has lost nothing that it acknowledged, and left nothing half written", async () => {
  let last = 0;
  for (let round = 1; round <= 10; round++) {
    await using rival = startRival("append", file, "s");
    const wanted = 1 + Math.floor(Math.random() * 40);
    let acknowledged = 0;
    let acknowledgements = 0;
    for await (const number of rival.acknowledged) {
      acknowledged = number;
      // Not with the acknowledgement but at some point of the next appends.
      if (++acknowledgements === wanted) void pause(Math.random() * 3).then(() => rival.kill());
    }
    await using journal = await openSqliteLog({ file });
    const tail = await journal.tail("s");
    expect(acknowledgements).toBeGreaterThanOrEqual(wanted);
    expect(acknowledged).toBeGreaterThan(last);
    expect(tail.last).toBeGreaterThanOrEqual(acknowledged);
    expect(tail.last).toBeLessThanOrEqual(acknowledged + 3);
    expect(tail.epoch).toBe(round);
    expect(told(await Array.fromAsync(journal.read("s", 0)))).toEqual(counted(tail.last));
    last = tail.last;
  }
}, 60_000);

test("what another process appends is seen by a watch", async () => {
  await using journal = await openSqliteLog({ file });
  await using rival = startRival("append", file, "s", { times: 200 });
  const seen: string[] = [];
  for await (const frame of journal.watch("s", 0, AbortSignal.timeout(20_000))) {
    seen.push(...told([frame]));
    if (lastOf(frame) === 399) break;
  }
  expect(seen).toEqual(counted(399));
  expect((await Array.fromAsync(rival.acknowledged)).at(-1)).toBe(399);
}, 30_000);

test("another process that appends as fast as it can is fenced by a claim here", async () => {
  await using journal = await openSqliteLog({ file });
  await using rival = startRival("append", file, "s");
  let claim: Claim | undefined;
  let acknowledged = 0;
  for await (const number of rival.acknowledged) {
    acknowledged = number;
    claim ??= await journal.claim("s", "here");
  }
  // The rival has ended, and of itself: it was refused.
  expect(claim).toMatchObject({ epoch: 2, last: acknowledged });
  expect(await journal.tail("s")).toMatchObject({ epoch: 2, last: acknowledged, owner: "here" });
}, 30_000);

test("processes that open one new file and race to claim: each claim has an epoch of its own", async () => {
  const rivals = [1, 2, 3].map(() => startRival("claim", file, "s", { times: 200 }));
  const epochs = await Promise.all(rivals.map((rival) => Array.fromAsync(rival.acknowledged)));
  for (const own of epochs) expect(own).toHaveLength(200);
  const all = epochs.flat().toSorted((one, other) => one - other);
  expect(all).toEqual(Array.from({ length: 600 }, (_, n) => n + 1));
}, 30_000);

test("processes that begin at one moment: whatever they all write to, exactly one owns it in the end", async () => {
  await using journal = await openSqliteLog({ file });
  for (let round = 1; round <= 3; round++) {
    const shared = `shared ${round}`;
    const rivals = [1, 2, 3, 4].map(() => prepareRival("append", file, shared, { times: 100 }));
    const others = [1, 2].map((n) => prepareRival("append", file, `own ${round} ${n}`, { times: 100 }));
    const all = [...rivals, ...others];
    await Promise.all(all.map(({ ready }) => ready));
    for (const rival of all) rival.begin();
    const acknowledged = await Promise.all(all.map((rival) => Array.fromAsync(rival.acknowledged)));

    // Each was fenced by the next claim, but for the last; and each event was acknowledged to one of them only.
    const tail = await journal.tail(shared);
    expect(tail.epoch).toBe(4);
    const finished = acknowledged.slice(0, 4).filter((own) => own.length === 100);
    expect(finished.length).toBeGreaterThanOrEqual(1);
    expect(finished.flat()).toContain(tail.last);
    const numbers = acknowledged.slice(0, 4).flat();
    expect(new Set(numbers).size).toBe(numbers.length);
    const frames = await Array.fromAsync(journal.read(shared, 0));
    expect(told(frames)).toEqual(counted(tail.last));
    expect(frames.map(lastOf)).toEqual(numbers.toSorted((one, other) => one - other));
    // Whoever has a session for itself is not disturbed.
    for (const own of acknowledged.slice(4)) expect(own).toHaveLength(100);
  }
}, 60_000);

// It can make a sync fail; not every machine has it.
const tracer = "strace";
const canFailSyncs = spawnSync(tracer, ["-qq", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"]).status === 0;

test.runIf(canFailSyncs)(
  "an append whose sync the disk has failed is not there later, even after a crash",
  async () => {
    const failed: number[] = [];
    for (let sync = 9; sync <= 14; sync++) {
      const fault = `inject=fsync,fdatasync:error=EIO:when=${sync}`;
      const own = join(folder, `${sync}.db`);
      const under = [tracer, "-f", "-qq", "-o", "/dev/null", "-e", fault];
      await using rival = startRival("append", own, "s", { times: 5, under });
      const acknowledged = await Array.fromAsync(rival.acknowledged);
      if (acknowledged.length < 5) failed.push(sync);
      await using journal = await openSqliteLog({ file: own });
      const last = acknowledged.at(-1) ?? 0;
      expect(await journal.tail("s")).toMatchObject({ last });
      expect(told(await Array.fromAsync(journal.read("s", 0)))).toEqual(counted(last));
    }
    expect(failed.length).toBeGreaterThanOrEqual(4);
  },
  60_000,
);
