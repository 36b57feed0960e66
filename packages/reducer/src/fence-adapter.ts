import type { Transition } from "@fairlead/contract";

/** The result of a function of an adapter, or a sentence about why it has none. */
export type Fenced<Result> = { readonly result: Result } | { readonly failure: string };

/** How the reason of an `unrecognized` event begins if the adapter threw. The judge finds such events by it. */
export const adapterFailurePrefix = "the adapter failed: ";

/** Limit of an error message, which may quote a whole line of the agent. */
const maxMessageLength = 300;

/**
 * Calls a function of an adapter and returns its exception as a value. Without this fence one line that an adapter did
 * not expect would end the actor: every replay reads the same line, so the session could never be driven or stopped again.
 */
export function fenceAdapter<Result>(call: () => Result): Fenced<Result> {
  try {
    return { result: call() };
  } catch (error) {
    return { failure: `${adapterFailurePrefix}${describeError(error)}`.slice(0, maxMessageLength) };
  }
}

/** Calls a dialect and reads its transition. The lists are copied inside the fence, because reading them may throw too. */
export function fenceTransition(compute: () => Transition<unknown>): Fenced<Required<Transition<unknown>>> {
  return fenceAdapter(() => {
    const { state, events = [], deltas = [], effects = [] } = compute();
    return { state, events: [...events], deltas: [...deltas], effects: [...effects] };
  });
}

function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
}
