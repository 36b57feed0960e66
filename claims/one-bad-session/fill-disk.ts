import { setTimeout as delay } from "node:timers/promises";
import { SmallDisk } from "../disk-full/small-disk.ts";
import { SmallDiskTestHome } from "../disk-full/small-disk-test-home.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";
import { parseLine, type PrintedLine } from "./printed-line.ts";
import { TestBed } from "./test-bed.ts";

export interface FullDiskResult {
  readonly sessions: number;
  /** Sessions that showed output while the disk was full. */
  readonly shown: number;
  /** Sessions that did not continue when there was space again. */
  readonly stopped: number;
  readonly lines: number;
  /** Lines that the agents printed and the journal does not have, or has in another order. */
  readonly lost: number;
}

const megabytes = 192;
/** How long the disk stays full after the last session waits, in milliseconds. */
const fullTime = 5000;
/** What was on its way may still find a place that was reserved. A session that prints for longer does not wait. */
const maxTimeUntilFull = 20_000;

/** Fills the disk of a data directory while its sessions print, and gives the space back. */
export async function fillDisk(sessions: number): Promise<FullDiskResult> {
  using disk = new SmallDisk(megabytes);
  await using bed = await TestBed.open({
    healthy: sessions,
    testHome: (environment) => new SmallDiskTestHome(disk.folder, "home", environment),
  });
  const readAll = async (): Promise<PrintedLine[][]> =>
    await mapConcurrently(4, bed.healthy, async (session) => {
      const events = await Array.fromAsync(bed.connect().events(session));
      return events.flatMap((event) =>
        "body" in event && event.body.type === "text.ended" ? parseLine(event.body.text) : [],
      );
    });
  await delay(2000);
  const filling = disk.fill();
  const count = (all: readonly PrintedLine[][]): number => all.reduce((sum, lines) => sum + lines.length, 0);
  const givenUp = performance.now() + maxTimeUntilFull;
  let atFull = await readAll();
  for (let known = -1; count(atFull) > known && performance.now() < givenUp; atFull = await readAll()) {
    known = count(atFull);
    await delay(2000);
  }
  await delay(fullTime);
  const stillFull = await readAll();
  filling[Symbol.dispose]();
  const released = Date.now();
  const deadline = performance.now() + 120_000;
  let after = await readAll();
  const hasContinued = (lines: readonly PrintedLine[]): boolean => (lines.at(-1)?.printedAt ?? 0) > released;
  while (!after.every(hasContinued) && performance.now() < deadline) {
    await delay(200);
    after = await readAll();
  }
  return {
    sessions,
    shown: stillFull.filter((lines, index) => lines.length > (atFull[index]?.length ?? 0)).length,
    stopped: after.filter((lines) => !hasContinued(lines)).length,
    lines: after.reduce((sum, lines) => sum + lines.length, 0),
    lost: after.reduce((sum, lines) => sum + lines.filter(({ number }, index) => number !== index + 1).length, 0),
  };
}
