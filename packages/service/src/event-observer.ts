import type { Event } from "@fairlead/contract";

/** Receives every event that this process has appended to the journal. */
export interface EventObserver {
  /** Must not throw. */
  onEvent(event: Event): void;
}

/** Combines observers. An error in one is reported to `onError` and affects neither the others nor the session. */
export function combineObservers(
  observers: readonly EventObserver[],
  onError: (error: unknown) => void,
): EventObserver {
  return {
    onEvent(event) {
      for (const observer of observers) {
        try {
          observer.onEvent(event);
        } catch (error) {
          onError(error);
        }
      }
    },
  };
}
