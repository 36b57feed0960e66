import type { DecisionView, SessionView } from "@fairlead/api";
import type { SessionIndex } from "@fairlead/journal";
import type { SessionProjection } from "@fairlead/runtime";

/** Where an overview gets its views from. */
export interface OverviewSource {
  readonly index: Pick<SessionIndex, "watch" | "page" | "count" | "get" | "replacements">;
  /** Resolves when the index has all sessions of the journal. */
  waitUntilComplete(): Promise<unknown>;
  /** Returns the projection of a session that this process drives: newer than its row. */
  driven(session: string): SessionProjection | undefined;
  /** Builds the view of a session, as lists show it. `owner` drove it last; undefined for this process. */
  view(projection: SessionProjection, owner: string | undefined): Promise<SessionView | undefined>;
  /** Whether no process drives a session that has neither paused nor ended. */
  isLost(session: string, owner: string): Promise<boolean>;
  /** Lists the open decisions of runs. */
  runDecisions(): Promise<readonly DecisionView[]>;
}
