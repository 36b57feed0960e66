import type { Scope, SessionView } from "@fairlead/api";

type TakenSession = Pick<SessionView, "state" | "label" | "capabilities">;

/** Says why a session cannot be taken over, or returns null. */
export function whyNotTakeOver(view: TakenSession, scopes: readonly Scope[]): string | null {
  if (view.state === "ended") return "The session has ended. Resume it first.";
  if (view.state === "lost" || view.state === "damaged") return "The session cannot be driven any more.";
  if (!view.capabilities.includes("take-over"))
    return `${view.label} has no terminal of its own that Fairlead can hand to a person.`;
  if (!scopes.includes("admin"))
    return "Your access lacks the scope admin, which taking over needs. Open the page with: fairlead open";
  return null;
}

/** Whether what happens in the terminal can be read in the session afterwards. */
export function isRecorded({ capabilities }: Pick<SessionView, "capabilities">): boolean {
  return capabilities.includes("recorded-take-over");
}
