import { formatSessionState, type SessionView } from "@fairlead/api";
import type { ReactNode } from "react";
import { isUnwantedEnd, needOf, type Need } from "../state/sessions/needs.ts";

const dotColors: Readonly<Record<Need, string>> = {
  "needs-you": "bg-waits",
  working: "bg-accent motion-safe:animate-pulse",
  idle: "bg-good",
  paused: "bg-quiet",
  ended: "border border-quiet",
};

const failedStates: readonly string[] = ["stuck", "lost", "damaged", "input-closed"];

function hasFailed(view: SessionView): boolean {
  const { state, lastOutcome } = view;
  if (failedStates.includes(state) || isUnwantedEnd(view)) return true;
  return (state === "idle" || state === "paused") && lastOutcome === "failed";
}

/** The state of a session as words with a dot. The color repeats what the words say. */
export function StateBadge({ view }: { readonly view: SessionView }): ReactNode {
  const need = needOf(view);
  const isFailed = hasFailed(view);
  const color = isFailed ? "text-fails" : need === "needs-you" ? "text-waits" : "text-quiet";
  // That a session was stopped or has finished is the usual end.
  const text = view.state === "ended" && !isFailed ? "ended" : formatSessionState(view);
  return (
    <span className={`flex min-w-0 items-center gap-2 ${color}`} title={text}>
      <i className={`size-2 shrink-0 rounded-full ${isFailed ? "bg-fails" : dotColors[need]}`} aria-hidden="true" />
      <span className="truncate">{text}</span>
    </span>
  );
}
