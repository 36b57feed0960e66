import { setImmediate as nextTurn } from "node:timers/promises";
import { type OverviewFrame, zeroCounts } from "@fairlead/api";

/**
 * Joins the frames of an overview until the state is whole, as a client would apply them. The result has each session and
 * decision once, so its size is that of the state, however many frames there are.
 */
export async function readCurrentOverview(frames: AsyncIterable<OverviewFrame>): Promise<OverviewFrame> {
  const sessions = new Map<string, OverviewFrame["sessions"][number]>();
  const decisions = new Map<string, OverviewFrame["decisions"][number]>();
  const removed = new Set<string>();
  const closed = new Map<string, OverviewFrame["closed"][number]>();
  let last: Partial<OverviewFrame> = {};
  let reset = false;
  for await (const frame of frames) {
    if (frame.reset) {
      reset = true;
      for (const list of [sessions, decisions, removed, closed]) list.clear();
    }
    for (const view of frame.sessions) {
      sessions.set(view.session, view);
      removed.delete(view.session);
    }
    for (const session of frame.removed) {
      sessions.delete(session);
      removed.add(session);
    }
    for (const view of frame.decisions) {
      decisions.set(keyOf(view), view);
      closed.delete(keyOf(view));
    }
    for (const { session, decision } of frame.closed) {
      decisions.delete(keyOf({ session, decision }));
      closed.set(keyOf({ session, decision }), { session, decision });
    }
    last = frame;
    if (frame.caughtUp) break;
    // The next frame may be there at once, and other requests must not wait for all of them.
    await nextTurn();
  }
  return {
    counts: zeroCounts(),
    caughtUp: false,
    position: "",
    ...last,
    reset,
    sessions: [...sessions.values()],
    removed: [...removed],
    decisions: [...decisions.values()],
    closed: [...closed.values()],
  };
}

function keyOf({ session, decision }: OverviewFrame["closed"][number]): string {
  return JSON.stringify([session, decision]);
}
