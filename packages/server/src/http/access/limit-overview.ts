import { type OverviewFrame, overviewHeartbeatMs, type SessionView, zeroCounts } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";

export interface OverviewLimit {
  /** Whether the caller may see a session. */
  readonly isInside: (view: SessionView) => boolean;
  readonly isRunInside: (run: string) => Promise<boolean>;
  readonly readSession: (session: string) => Promise<SessionView>;
}

/**
 * Leaves out of an overview what its caller may not see. The frames must begin with the whole state: what an earlier connection
 * has sent to the caller is not known here.
 */
export async function* limitOverview(
  frames: AsyncIterable<OverviewFrame>,
  limit: OverviewLimit,
): AsyncGenerator<OverviewFrame> {
  const filter = new OverviewFilter(limit);
  let isFirst = true;
  let sentAt = performance.now();
  let wasCaughtUp = false;
  for await (const frame of frames) {
    const filtered = await filter.apply(frame);
    const isNews = isFirst || frame.reset || frame.caughtUp !== wasCaughtUp || hasContent(filtered);
    // An empty frame for each change of another session would tell the caller how busy others are. The next frame of the
    // overview may be a whole interval away, and the caller must not wait for much longer than one.
    if (!isNews && performance.now() - sentAt < 0.4 * overviewHeartbeatMs) continue;
    isFirst = false;
    sentAt = performance.now();
    wasCaughtUp = frame.caughtUp;
    yield filtered;
  }
}

class OverviewFilter {
  readonly #limit: OverviewLimit;
  /** The state of each session that was sent. */
  readonly #sent = new Map<string, SessionView["state"]>();
  /** The keys of the open decisions that were sent. */
  readonly #decisions = new Set<string>();

  constructor(limit: OverviewLimit) {
    this.#limit = limit;
  }

  async apply(frame: OverviewFrame): Promise<OverviewFrame> {
    if (frame.reset) {
      this.#sent.clear();
      this.#decisions.clear();
    }
    const sessions = frame.sessions.filter((view) => this.#limit.isInside(view));
    for (const { session, state } of sessions) this.#sent.set(session, state);
    const decisions: OverviewFrame["decisions"] = [];
    for (const decision of frame.decisions) {
      if (!(await this.#isVisible(decision.session))) continue;
      this.#decisions.add(keyOf(decision));
      decisions.push(decision);
    }
    const removed = frame.removed.filter((session) => this.#sent.delete(session));
    const closed = frame.closed.filter((one) => this.#decisions.delete(keyOf(one)));
    // The position has the number of all changes, which would tell the caller how busy others are. Without one, its next
    // connection begins with the whole state, as it does with any.
    return { ...frame, sessions, removed, decisions, closed, counts: this.#countSent(), position: "" };
  }

  /** The view of a session that changes often may come after its decision. */
  async #isVisible(session: string): Promise<boolean> {
    if (this.#sent.has(session)) return true;
    try {
      if (session.startsWith("run-")) return await this.#limit.isRunInside(session);
      return this.#limit.isInside(await this.#limit.readSession(session));
    } catch (error) {
      if (FairleadError.is(error, "session-not-found")) return false;
      throw error;
    }
  }

  #countSent(): OverviewFrame["counts"] {
    const counts = zeroCounts();
    for (const state of this.#sent.values()) counts[state] += 1;
    return counts;
  }
}

function keyOf({ session, decision }: OverviewFrame["closed"][number]): string {
  return JSON.stringify([session, decision]);
}

function hasContent({ sessions, removed, decisions, closed }: OverviewFrame): boolean {
  return [sessions, removed, decisions, closed].some((list) => list.length > 0);
}
