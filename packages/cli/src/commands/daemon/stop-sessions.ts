import { setTimeout as delay } from "node:timers/promises";
import type { Fairlead } from "@fairlead/api";
import { startTimer } from "@fairlead/contract";
import { formatError } from "../../format-error.ts";

/** How long a session may take to stop. The daemon itself waits less for a keeper. */
const defaultTimeout = 60_000;

/** Milliseconds after which the command says how many sessions it still waits for. */
const hintDelay = 2000;

/** A session that could not be stopped, and why. */
export interface StopFailure {
  readonly session: string;
  readonly problem: string;
}

/**
 * Stops sessions at the same time. One that fails, or takes too long, does not keep the others from being stopped. Calls
 * `warn` if it takes long.
 */
export async function stopSessions(
  fairlead: Pick<Fairlead, "stop">,
  sessions: readonly string[],
  warn: (message: string) => void,
  timeout: number = defaultTimeout,
): Promise<readonly StopFailure[]> {
  const timer = new AbortController();
  const late = delay(timeout, `It did not end within ${timeout / 1000} s.`, { signal: timer.signal });
  late.catch(() => {}); // aborted below
  let waiting = sessions.length;
  using _hint = startTimer(hintDelay, () =>
    warn(`Stopping ${sessions.length} sessions: ${waiting} ${waiting === 1 ? "has" : "have"} not ended yet.`),
  );
  const stopOne = async (session: string): Promise<StopFailure | null> => {
    const stopped = fairlead.stop(session).then(
      () => null,
      (error: unknown) => String(formatError(error).json.error["message"]),
    );
    const problem = await Promise.race([stopped, late]);
    waiting -= 1;
    return problem === null ? null : { session, problem };
  };
  try {
    return (await Promise.all(sessions.map(stopOne))).filter((failure) => failure !== null);
  } finally {
    timer.abort();
  }
}
