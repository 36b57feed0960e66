import type { DrainReport, FleetHost } from "@fairlead/fleet";
import { untilSignal } from "./until-signal.ts";

/**
 * Drains a host, which takes as long as its turns. Another signal ends the drain: the sessions that have not left then continue
 * on this host. Returns null in this case. One more signal ends the process at once.
 */
export async function drainUntilSignal(host: Pick<FleetHost, "drain">): Promise<DrainReport | null> {
  const stop = new AbortController();
  const finished = new AbortController();
  void untilSignal(finished.signal).then(() => stop.abort());
  try {
    return await host.drain(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return null;
    throw error;
  } finally {
    finished.abort();
  }
}
