import { useSyncExternalStore } from "react";
import { onServiceClockChange, serviceNow } from "../wire/service-clock.ts";

const listeners = new Set<() => void>();
let now = serviceNow();
let timer: ReturnType<typeof setInterval> | undefined;

function renew(): void {
  now = serviceNow();
  for (const listener of listeners) listener();
}

// At once: until the next second, the page would count by another clock than the time that it has just learned.
onServiceClockChange(renew);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(renew, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the time by the clock of the service, renewed each second by one timer for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
