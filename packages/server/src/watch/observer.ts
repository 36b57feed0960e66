import type { Event } from "@fairlead/contract";

/** Somebody who is told of every event once it is in the journal, by the process that wrote it. Must not throw. */
export interface Observer {
  saw(event: Event): void;
}

/** Several as one. What goes wrong in one of them is told, and concerns neither the others nor the session. */
export function together(observers: readonly Observer[], failed: (error: unknown) => void): Observer {
  return {
    saw(event) {
      for (const observer of observers) {
        try {
          observer.saw(event);
        } catch (error) {
          failed(error);
        }
      }
    },
  };
}
