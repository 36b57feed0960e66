import type { Scope, SessionView } from "@fairlead/api";
import { whyNotTakeOver } from "../terminal/take-over.ts";

export type SessionAction = "resume" | "fork" | "pause" | "stop" | "bring" | "take-over" | "replay" | "export";

/** The commands that a person may give now, in the order of a menu. What would be refused is left out. */
export function sessionActions(view: SessionView, scopes: readonly Scope[]): SessionAction[] {
  const { state, capabilities, lead, copy } = view;
  const isOver = state === "ended" || state === "lost";
  const canDrive = scopes.includes("drive");
  const isPossible: Readonly<Record<SessionAction, boolean>> = {
    resume: canDrive && (state === "paused" || (isOver && capabilities.includes("resume"))),
    fork: canDrive && capabilities.includes("fork") && state !== "damaged",
    pause: canDrive && !isOver && state !== "paused" && state !== "damaged" && lead !== "human",
    bring: canDrive && copy !== undefined,
    stop: canDrive && !isOver,
    "take-over": lead === "human" || whyNotTakeOver(view, scopes) === null,
    replay: true,
    export: true,
  };
  return (Object.keys(isPossible) as SessionAction[]).filter((action) => isPossible[action]);
}
