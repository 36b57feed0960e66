import { formatAge } from "@fairlead/api";
import { endOf, type OutlineTurn } from "./outline.ts";

/** A part of the time strip. A pause has a fixed width, so that a night is not wider than a day of work. */
export type StripPart =
  | {
      readonly type: "work" | "wait" | "failure";
      readonly turn: number;
      /** The event that a click leads to. */
      readonly first: number;
      /** The width in relation to the other parts. */
      readonly weight: number;
      readonly isOpen: boolean;
    }
  | { readonly type: "pause"; readonly label: string; readonly first: number };

/** A shorter time between two turns is not shown. */
const shortestPause = 5 * 60_000;
/** A turn of hours must leave room for the others. */
const maxWeight = 30;

/** Lays out turns on a strip: work, waits for a person, failures, and the pauses between turns. */
export function layOutStrip(turns: readonly OutlineTurn[], now: number): readonly StripPart[] {
  return turns.flatMap((turn, index): StripPart[] => {
    const before = turns[index - 1];
    const start = Date.parse(turn.startedAt);
    const pause = before === undefined ? 0 : start - endOf(before, start);
    const parts = partsOfTurn(turn, now);
    return pause < shortestPause ? parts : [{ type: "pause", label: formatAge(pause), first: turn.first }, ...parts];
  });
}

function partsOfTurn(turn: OutlineTurn, now: number): StripPart[] {
  const { first, last, number, waitingSince } = turn;
  const waiting = turn.waitMs + (waitingSince === null ? 0 : Math.max(0, now - Date.parse(waitingSince)));
  const total = endOf(turn, now) - Date.parse(turn.startedAt);
  const isOpen = turn.endedAt === null;
  const isWaiting = waitingSince !== null;
  const common = { turn: number, first };
  const parts: StripPart[] = [
    { ...common, type: "work", weight: weightOf(total - waiting), isOpen: isOpen && !isWaiting },
  ];
  if (turn.failedCalls > 0 || turn.outcome === "failed") {
    parts.push({ ...common, type: "failure", weight: 0.2, isOpen: false });
  }
  if (isWaiting || waiting > 10_000) {
    parts.push({
      ...common,
      first: isWaiting ? last : first,
      type: "wait",
      weight: Math.min(4, weightOf(waiting)),
      isOpen: isWaiting,
    });
  }
  return parts;
}

/** Grows with the square root, so that a short turn can still be seen and hit beside a long one. */
function weightOf(milliseconds: number): number {
  return Math.min(maxWeight, Math.max(1, Math.sqrt(Math.max(0, milliseconds) / 1000)));
}
