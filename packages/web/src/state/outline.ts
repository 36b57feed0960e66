import type { TurnSummary } from "@fairlead/contract";
import { formatAge, formatDuration, formatMoney, type SessionView } from "@fairlead/api";

/** What the outline and the strip show of a turn. */
export type OutlineTurn = Pick<
  TurnSummary,
  | "number"
  | "first"
  | "last"
  | "startedAt"
  | "endedAt"
  | "outcome"
  | "title"
  | "files"
  | "failedCalls"
  | "waitMs"
  | "waitingSince"
  | "cost"
>;

/** A part of the line below a turn, with its meaning as a color. */
export interface OutlineFact {
  readonly text: string;
  readonly tone: "quiet" | "waits" | "fails";
}

/** What the line below a turn says: how long it took, what it changed and cost, and whether it needs a look. */
export function factsOfTurn(turn: OutlineTurn, now: number): readonly OutlineFact[] {
  const facts: OutlineFact[] = [quiet(formatRoughly(endOf(turn, now) - Date.parse(turn.startedAt)))];
  if (turn.files > 0) facts.push(quiet(`${turn.files} ${turn.files === 1 ? "file" : "files"}`));
  if (turn.cost !== null) facts.push(quiet(formatMoney(turn.cost)));
  if (turn.failedCalls > 0) facts.push({ text: `${turn.failedCalls} failed`, tone: "fails" });
  if (turn.outcome === "failed") facts.push({ text: "failed", tone: "fails" });
  if (turn.outcome === "interrupted") facts.push({ text: "interrupted", tone: "waits" });
  if (turn.outcome === "limited") facts.push({ text: "limit reached", tone: "waits" });
  if (turn.waitingSince !== null) facts.push({ text: "waits", tone: "waits" });
  return facts;
}

/** Whether the turns were read before the service had added to them what the summary of the session says. */
export function isOutlineBehind(
  turns: readonly Pick<OutlineTurn, "number" | "endedAt">[],
  { turns: count, state }: Pick<SessionView, "turns" | "state">,
): boolean {
  const newest = turns.at(-1);
  if ((newest?.number ?? 0) < count) return true;
  return newest?.endedAt === null && (state === "idle" || state === "paused" || state === "ended");
}

/** The turn that has the event with this number, or the last one before it. */
export function turnAt<Turn extends Pick<OutlineTurn, "first">>(
  turns: readonly Turn[],
  sequence: number,
): Turn | undefined {
  return turns.findLast(({ first }) => first <= sequence);
}

export function endOf({ endedAt, startedAt }: OutlineTurn, now: number): number {
  return Math.max(Date.parse(startedAt), endedAt === null ? now : Date.parse(endedAt));
}

/** Leaves out fractions of a second, which would change the width of a line while a turn runs. */
function formatRoughly(milliseconds: number): string {
  return milliseconds < 60_000 ? formatAge(milliseconds) : formatDuration(milliseconds);
}

function quiet(text: string): OutlineFact {
  return { text, tone: "quiet" };
}
