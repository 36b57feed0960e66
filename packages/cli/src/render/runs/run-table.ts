import { formatAge, formatMoney, type RunView, toOneLine } from "@fairlead/api";
import type { Paint } from "../paint.ts";
import { table, truncateLine } from "../text-layout.ts";

export interface RunTableOptions {
  readonly now: number;
  readonly width: number;
  readonly paint: Paint;
}

/** Renders runs as a table, one line each, cut to the width of the screen. */
export function runTable(runs: readonly RunView[], { now, width, paint }: RunTableOptions): string[] {
  const rows = runs.map((view) => [
    view.run,
    stateOf(view),
    formatAge(now - Date.parse(view.startedAt)),
    String(view.parts.filter(({ kind }) => kind === "task").length + view.waitingTasks.length),
    view.usd === null ? "-" : formatMoney(view.usd),
    toOneLine(view.goal),
  ]);
  const [head = "", ...lines] = table([["RUN", "STATE", "STARTED", "TASKS", "COST", "GOAL"], ...rows]);
  return [paint("bold", truncateLine(head, width)), ...lines.map((line) => truncateLine(line, width))];
}

/** How a run ended, `waiting` if it waits for a person, or what its last part does. */
function stateOf({ outcome, decision, parts }: RunView): string {
  if (outcome !== null) return outcome;
  const open = parts.filter(({ endedAt }) => endedAt === null);
  if (decision !== null || open.some(({ state }) => state === "asks you")) return "waiting";
  return open.at(-1)?.state ?? "open";
}
