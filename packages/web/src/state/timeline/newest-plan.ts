import type { EventWindow } from "./event-window.ts";
import type { PlanRow } from "./timeline-row.ts";

/** The last plan that the agent made in the pages that are held. */
export function newestPlan({ timeline }: EventWindow): PlanRow | null {
  for (const { rows } of timeline.pages.toReversed()) {
    const row = rows.findLast(({ type }) => type === "plan");
    if (row?.type === "plan") return row;
  }
  return null;
}
