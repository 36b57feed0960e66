/** Differences up to this are delays of the network, which vary from frame to frame, in milliseconds. */
const maxDelayMs = 2000;

const listeners = new Set<() => void>();
let offset = 0;

/**
 * Returns the time by the clock of the service. Ages and deadlines are times of the service: a device whose clock is ahead would
 * show that a deadline has passed.
 */
export function serviceNow(): number {
  return Date.now() + offset;
}

/** Takes over the time of a frame that has just arrived. A service of an older version sends none. */
export function adoptServiceTime(time: string | undefined): void {
  const measured = Date.parse(time ?? "") - Date.now();
  if (Number.isNaN(measured) || Math.abs(measured - offset) <= maxDelayMs) return;
  offset = measured;
  for (const listener of listeners) listener();
}

/** Calls the listener when the clock of the service turns out to differ by more. Returns a function that ends it. */
export function onServiceClockChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
