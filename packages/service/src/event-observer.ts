import type { Event } from "@fairlead/contract";
import type { Session, SessionFailure } from "@fairlead/runtime";

/** Receives every event that this process has appended to the journal, and failures to drive a session. */
export interface EventObserver {
  /** Must not throw. */
  onEvent(event: Event): void;
  /** Receives each failure to drive a session. Must not throw. */
  onFailure?(failure: SessionFailure): void;
  /** Receives the id of a session that is driven again after a failure. Must not throw. */
  onRecovered?(session: string): void;
  /** Receives each session that this process begins to drive, also again after it stopped. Must not throw. */
  onDriven?(session: Session): void;
  /** Receives the first of several failures to read the journal into the index of sessions. Must not throw. */
  onIndexFailure?(error: unknown): void;
  /** Receives the error if the journal has lost sessions that the index has. Must not throw. */
  onJournalLoss?(error: unknown): void;
}

/** Combines observers. An error in one is reported to `onError` and affects neither the others nor the session. */
export function combineObservers(
  observers: readonly EventObserver[],
  onError: (error: unknown) => void,
): EventObserver {
  const notifyAll = (notify: (observer: EventObserver) => void): void => {
    for (const observer of observers) {
      try {
        notify(observer);
      } catch (error) {
        onError(error);
      }
    }
  };
  return {
    onEvent: (event) => notifyAll((observer) => observer.onEvent(event)),
    onFailure: (failure) => notifyAll((observer) => observer.onFailure?.(failure)),
    onRecovered: (session) => notifyAll((observer) => observer.onRecovered?.(session)),
    onDriven: (session) => notifyAll((observer) => observer.onDriven?.(session)),
    onIndexFailure: (error) => notifyAll((observer) => observer.onIndexFailure?.(error)),
    onJournalLoss: (error) => notifyAll((observer) => observer.onJournalLoss?.(error)),
  };
}
