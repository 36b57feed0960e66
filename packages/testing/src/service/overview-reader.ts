import type { DecisionView, Fairlead, OverviewFrame, SessionView } from "@fairlead/api";

/** Applies the frames of an overview, as a page does. */
export class OverviewReader {
  readonly sessions = new Map<string, SessionView>();
  readonly decisions = new Map<string, DecisionView>();
  position: string | undefined;
  counts: OverviewFrame["counts"] | undefined;
  resets = 0;

  apply(frame: OverviewFrame): void {
    if (frame.reset) {
      this.resets += 1;
      this.sessions.clear();
      this.decisions.clear();
    }
    for (const view of frame.sessions) this.sessions.set(view.session, view);
    for (const session of frame.removed) this.sessions.delete(session);
    for (const view of frame.decisions) this.decisions.set(`${view.session} ${view.decision}`, view);
    for (const { session, decision } of frame.closed) this.decisions.delete(`${session} ${decision}`);
    this.counts = frame.counts;
    this.position = frame.position;
  }

  /** Reads frames until the condition is true after one that completes the state. */
  async readUntil(fairlead: Pick<Fairlead, "overview">, condition: () => boolean = () => true): Promise<void> {
    const { position } = this;
    for await (const frame of fairlead.overview(position === undefined ? {} : { after: position })) {
      this.apply(frame);
      if (frame.caughtUp && condition()) return;
    }
  }

  stateOf(session: string): SessionView["state"] | undefined {
    return this.sessions.get(session)?.state;
  }
}
