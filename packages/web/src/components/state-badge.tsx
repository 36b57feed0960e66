import type { SessionView } from "@fairlead/api";
import type { ReactNode } from "react";
import { needOf, type Need } from "../state/needs.ts";

const dotColors: Readonly<Record<Need, string>> = {
  "needs-you": "bg-waits",
  working: "bg-accent motion-safe:animate-pulse",
  idle: "bg-good",
  paused: "bg-quiet",
  ended: "border border-quiet",
};

const failedStates: readonly string[] = ["stuck", "lost", "damaged", "input-closed"];

/** The state of a session as a word with a dot. The color repeats what the word says. */
export function StateBadge({ view }: { readonly view: Pick<SessionView, "state" | "lead"> }): ReactNode {
  const need = needOf(view);
  const isFailed = failedStates.includes(view.state);
  const text = isFailed ? "text-fails" : need === "needs-you" ? "text-waits" : "text-quiet";
  return (
    <span className={`flex items-center gap-2 ${text}`}>
      <i className={`size-2 shrink-0 rounded-full ${isFailed ? "bg-fails" : dotColors[need]}`} aria-hidden="true" />
      <span className="truncate">{view.lead === "human" && view.state !== "ended" ? "taken over" : view.state}</span>
    </span>
  );
}
