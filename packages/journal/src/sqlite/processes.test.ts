import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { numberedEvents, formatEvents } from "../conformance/test-writer.ts";
import { lastSequenceOf } from "../event-log.ts";
import type { Claim } from "../ownership.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";
import { spawnCompetingWriter, startCompetingWriter } from "@fairlead/testing/journal/start-competing-writer.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-processes-"));
  file = join(folder, "journal.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("keeps all acknowledged events and no partial batch when a writer is killed at any time", async () => {
  let last = 0;
  for (let round = 1; round <= 10; round++) {
    await using competitor = startCompetingWriter("append", file, "s");
    const targetCount = 1 + Math.floor(Math.random() * 40);
    let lastAcknowledged = 0;
    let acknowledgements = 0;
    for await (const sequence of competitor.acknowledged) {
      lastAcknowledged = sequence;
      // Kill the process during one of the next appends, not at the acknowledgment.
      if (++acknowledgements === targetCount) void pause(Math.random() * 3).then(() => competitor.kill());
    }
    await using journal = await openSqliteLog({ file });
    const tail = await journal.tail("s");
    expect(acknowledgements).toBeGreaterThanOrEqual(targetCount);
    expect(lastAcknowledged).toBeGreaterThan(last);
    expect(tail.last).toBeGreaterThanOrEqual(lastAcknowledged);
    expect(tail.last).toBeLessThanOrEqual(lastAcknowledged + 3);
    expect(tail.epoch).toBe(round);
    expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(numberedEvents(tail.last));
    last = tail.last;
  }
}, 60_000);

test("watches what another process appends", async () => {
  await using journal = await openSqliteLog({ file });
  await using competitor = startCompetingWriter("append", file, "s", { times: 200 });
  const received: string[] = [];
  for await (const batch of journal.watch("s", 0, AbortSignal.timeout(20_000))) {
    received.push(...formatEvents([batch]));
    if (lastSequenceOf(batch) === 399) break;
  }
  expect(received).toEqual(numberedEvents(399));
  expect((await Array.fromAsync(competitor.acknowledged)).at(-1)).toBe(399);
}, 30_000);

test("fences another process, which appends as fast as it can, with a claim", async () => {
  await using journal = await openSqliteLog({ file });
  await using competitor = startCompetingWriter("append", file, "s");
  let claim: Claim | undefined;
  let lastAcknowledged = 0;
  for await (const sequence of competitor.acknowledged) {
    lastAcknowledged = sequence;
    claim ??= await journal.claim("s", "here");
  }
  // The loop ends because the competitor exits when it is fenced.
  expect(claim).toMatchObject({ epoch: 2, last: lastAcknowledged });
  expect(await journal.tail("s")).toMatchObject({ epoch: 2, last: lastAcknowledged, owner: "here" });
}, 30_000);

test("gives each claim its own epoch when processes open one new file and race to claim", async () => {
  const competitors = [1, 2, 3].map(() => startCompetingWriter("claim", file, "s", { times: 200 }));
  const epochs = await Promise.all(competitors.map((competitor) => Array.fromAsync(competitor.acknowledged)));
  for (const ownEpochs of epochs) expect(ownEpochs).toHaveLength(200);
  const allEpochs = epochs.flat().toSorted((one, other) => one - other);
  expect(allEpochs).toEqual(Array.from({ length: 600 }, (_, n) => n + 1));
}, 30_000);

test("has exactly one owner in the end when processes start to write to a session at the same time", async () => {
  await using journal = await openSqliteLog({ file });
  for (let round = 1; round <= 3; round++) {
    const shared = `shared ${round}`;
    const competitors = [1, 2, 3, 4].map(() => spawnCompetingWriter("append", file, shared, { times: 100 }));
    const soleWriters = [1, 2].map((n) => spawnCompetingWriter("append", file, `own ${round} ${n}`, { times: 100 }));
    const all = [...competitors, ...soleWriters];
    await Promise.all(all.map(({ ready }) => ready));
    for (const writer of all) writer.begin();
    const acknowledged = await Promise.all(all.map((writer) => Array.fromAsync(writer.acknowledged)));

    // The next claim fences each competitor except the last. Each event was acknowledged to only one of them.
    const tail = await journal.tail(shared);
    expect(tail.epoch).toBe(4);
    const finished = acknowledged.slice(0, 4).filter((sequences) => sequences.length === 100);
    expect(finished.length).toBeGreaterThanOrEqual(1);
    expect(finished.flat()).toContain(tail.last);
    const sharedSequences = acknowledged.slice(0, 4).flat();
    expect(new Set(sharedSequences).size).toBe(sharedSequences.length);
    const batches = await Array.fromAsync(journal.read(shared, 0));
    expect(formatEvents(batches)).toEqual(numberedEvents(tail.last));
    expect(batches.map(lastSequenceOf)).toEqual(sharedSequences.toSorted((one, other) => one - other));
    // The race does not affect the sole writers of other sessions.
    for (const sequences of acknowledged.slice(4)) expect(sequences).toHaveLength(100);
  }
}, 60_000);

// strace can make a sync fail. Not every machine has it.
const straceCommand = "strace";
const canFailSyncs =
  spawnSync(straceCommand, ["-qq", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"]).status === 0;

test.runIf(canFailSyncs)(
  "discards an append whose sync failed, even after a crash",
  async () => {
    const failedSyncs: number[] = [];
    for (let sync = 9; sync <= 14; sync++) {
      const fault = `inject=fsync,fdatasync:error=EIO:when=${sync}`;
      const ownFile = join(folder, `${sync}.db`);
      const wrapperCommand = [straceCommand, "-f", "-qq", "-o", "/dev/null", "-e", fault];
      await using writer = startCompetingWriter("append", ownFile, "s", { times: 5, wrapperCommand });
      const acknowledged = await Array.fromAsync(writer.acknowledged);
      if (acknowledged.length < 5) failedSyncs.push(sync);
      await using journal = await openSqliteLog({ file: ownFile });
      const last = acknowledged.at(-1) ?? 0;
      expect(await journal.tail("s")).toMatchObject({ last });
      expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(numberedEvents(last));
    }
    expect(failedSyncs.length).toBeGreaterThanOrEqual(4);
  },
  60_000,
);
