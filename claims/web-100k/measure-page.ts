import type { Page } from "playwright-core";
import { eventPageSize } from "../../packages/web/src/state/timeline/event-window.ts";
import { percentile, type ProbeReport } from "./page-probe.ts";

/** Reads what the probe has seen since it was asked last. */
export async function takeReport(page: Page): Promise<ProbeReport> {
  return await page.evaluate<ProbeReport>("takeReport()");
}

/** Loads the page of a session, and returns how many milliseconds passed until a row from this number on was painted. */
export async function measureOpening(page: Page, url: string, number: number): Promise<number> {
  await page.goto("about:blank");
  const start = performance.now();
  await page.goto(url, { waitUntil: "commit" });
  await page.evaluate(`untilRow(${number})`);
  return performance.now() - start;
}

/** How long something took, in milliseconds: on the clock, and of the processor for the page's thread. */
export interface Measured {
  readonly wall: number;
  readonly cpu: number;
}

/** Measures what the page computes besides the time. A navigation begins to count anew. */
export async function withCpu(page: Page, act: () => Promise<number>): Promise<Measured> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const read = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
  };
  const address = page.url();
  const before = await read();
  const wall = await act();
  const after = await read();
  await session.detach();
  const isSamePage = address.split("#")[0] === page.url().split("#")[0] && after >= before;
  return { wall, cpu: isSamePage ? after - before : after };
}

/** Moves to an event by the address, and returns how many milliseconds passed until its row was painted. */
export async function measureJump(page: Page, number: number): Promise<number> {
  return await page.evaluate<number>(`new Promise((resolve, reject) => {
    const start = performance.now();
    location.hash = "#${number}";
    const look = () => {
      const box = document.querySelector("[role=log]").getBoundingClientRect();
      const rows = [...document.querySelectorAll("[data-event]")];
      const at = rows.findLastIndex((row) => Number(row.dataset.event) <= ${number});
      const { top, bottom } = rows[at]?.getBoundingClientRect() ?? { top: 1e9, bottom: -1e9 };
      const isShown = at >= 0 && (at + 1 < rows.length) && top < box.bottom && bottom > box.top;
      if (isShown) requestAnimationFrame((now) => resolve(now - start));
      else if (performance.now() - start > 10000) reject(new Error("No row of event ${number}."));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** Reads the events around a number without showing them, and returns how many milliseconds it took. */
export async function measureRead(page: Page, session: string, number: number): Promise<number> {
  const after = Math.floor((number - 1) / eventPageSize) * eventPageSize;
  return await page.evaluate<number>(`(async () => {
    const start = performance.now();
    const headers = { authorization: "Bearer " + sessionStorage.getItem("fairlead.token") };
    const answer = await fetch("/v1/sessions/${session}/events?after=${after}&limit=${eventPageSize}&clip=8000", { headers });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.text();
    return performance.now() - start;
  })()`);
}

export interface WheelResult extends ProbeReport {
  /** How many pixels a row moved besides the wheel's way, for each turn of the wheel. */
  readonly drifts: readonly number[];
}

/** Turns the wheel up and down for some seconds, and compares where rows are with where they were. */
export async function measureWheel(page: Page, seconds: number, step = 240): Promise<WheelResult> {
  const box = await page.locator("[role=log]").boundingBox();
  if (box === null) throw new Error("The page shows no timeline.");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await takeReport(page);
  const drifts: number[] = [];
  const end = performance.now() + seconds * 1000;
  // Up for two thirds of the time, so that most of what is shown was never measured.
  const turn = performance.now() + (seconds * 1000 * 2) / 3;
  while (performance.now() < end) {
    const delta = performance.now() < turn ? -step : step;
    const before = await page.evaluate<RowPlace | null>("settled().then(() => place())");
    await page.mouse.wheel(0, delta);
    const after = await page.evaluate<RowPlace | null>(
      `settled().then(() => place(${JSON.stringify(before?.number)}))`,
    );
    // At its end the list follows what is streamed, until the wheel has turned.
    if (before === null || after === null || before.isAtEdge || after.isAtEdge) continue;
    drifts.push(Math.abs(before.top - delta - after.top));
  }
  return { ...(await takeReport(page)), drifts };
}

interface RowPlace {
  readonly number: string;
  readonly top: number;
  /** Whether the list cannot move further, so that the wheel has no way. */
  readonly isAtEdge: boolean;
}

/** How far a row in the middle moves while nobody turns the wheel, in pixels. */
export async function measureRest(page: Page, seconds: number): Promise<number> {
  const before = await page.evaluate<RowPlace>("place()");
  let drift = 0;
  for (let at = 0; at < seconds * 10; at++) {
    await page.waitForTimeout(100);
    const after = await page.evaluate<RowPlace | null>(`place(${JSON.stringify(before.number)})`);
    drift = Math.max(drift, after === null ? Infinity : Math.abs(after.top - before.top));
  }
  return drift;
}

/** The heap of the page after a collection, in MB. */
export async function readHeap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1e6;
}

export function describeFrames({ frames, longTasks }: ProbeReport): string {
  const long = longTasks.length === 0 ? "no task > 50 ms" : `longest task ${Math.max(...longTasks).toFixed(0)} ms`;
  return `frames p95 ${percentile(frames, 0.95).toFixed(1)} ms, p99 ${percentile(frames, 0.99).toFixed(1)} ms, ${long}`;
}
