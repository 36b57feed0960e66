/** What the probe in the page has seen since it was asked last. */
export interface ProbeReport {
  /** Milliseconds between animation frames. */
  readonly frames: readonly number[];
  /** Tasks of more than 50 ms, in milliseconds. */
  readonly longTasks: readonly number[];
  /** The numbers of rows that were on the page, in the order in which they were first seen. */
  readonly rows: readonly number[];
  /** How often a row was on the page twice at the same time. */
  readonly doubled: number;
  readonly nodes: number;
}

/** Runs in the page before its own scripts. */
export const probeScript = `{
  const probe = { frames: [], longTasks: [], rows: new Set(), doubled: 0, nodes: 0 };
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) probe.longTasks.push(duration); })
    .observe({ entryTypes: ["longtask"] });
  let last = 0;
  const look = (now) => {
    if (last > 0) probe.frames.push(now - last);
    last = now;
    const seen = new Set();
    for (const element of document.querySelectorAll("[data-event]")) {
      const number = Number(element.dataset.event);
      if (number > 1e12) continue;
      if (seen.has(number)) probe.doubled += 1;
      seen.add(number);
      probe.rows.add(number);
    }
    probe.nodes = Math.max(probe.nodes, document.getElementsByTagName("*").length);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  window.takeReport = () => {
    const report = { ...probe, rows: [...probe.rows] };
    Object.assign(probe, { frames: [], longTasks: [], doubled: 0, nodes: 0 });
    probe.rows.clear();
    return report;
  };
  // After a row of this event or a later one was painted. The policy of the page forbids other ways to wait for it.
  window.untilRow = (number) => new Promise((resolve) => {
    const look = () => {
      const isThere = [...document.querySelectorAll("[data-event]")].some((row) => Number(row.dataset.event) >= number);
      requestAnimationFrame(isThere ? () => requestAnimationFrame(resolve) : look);
    };
    look();
  });
  // After the browser has handled the wheel and the page has rendered and measured what it shows.
  window.settled = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  // Where a row is: the one with this number, or the one in the middle of the screen.
  window.place = (number) => {
    const log = document.querySelector("[role=log]");
    const box = log.getBoundingClientRect();
    const middle = (box.top + box.bottom) / 2;
    const isAtEdge = log.scrollTop <= 0 || log.scrollTop >= log.scrollHeight - log.clientHeight - 1;
    for (const element of document.querySelectorAll("[data-event]")) {
      const { top, bottom } = element.getBoundingClientRect();
      const isWanted = number === undefined ? top <= middle && bottom > middle : element.dataset.event === number;
      if (isWanted) return { number: element.dataset.event, top, isAtEdge };
    }
    return null;
  };
}`;

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
