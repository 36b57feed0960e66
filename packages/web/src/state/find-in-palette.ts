import type { SessionView } from "@fairlead/api";
import { matchesText } from "./sessions/session-filter.ts";

const maxSessions = 50;

/** Whether each word is found in a label. */
export function matchesLabel(label: string, text: string): boolean {
  const lower = label.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

/** Finds sessions for the palette, the newest activity first. */
export function findSessions(sessions: Iterable<SessionView>, text: string): SessionView[] {
  return [...sessions]
    .filter((view) => matchesText(view, text))
    .toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1))
    .slice(0, maxSessions);
}
