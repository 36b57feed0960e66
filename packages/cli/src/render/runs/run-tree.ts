import type { RunPartView, RunView } from "@fairlead/api";
import { formatAge, formatMoney } from "../format-amounts.ts";
import type { Paint, PaintStyle } from "../paint.ts";
import { table, truncateLine } from "../text-layout.ts";
import { toOneLine } from "../tool-lines.ts";
import { formatChanges } from "./run-sentences.ts";

export interface RunTreeOptions {
  readonly now: number;
  readonly width: number;
  readonly paint: Paint;
}

const goodStates = ["done", "approved", "tested", "no-op"];
const badStates = ["failed", "blocked", "exhausted", "stalled", "timed-out", "canceled"];

/** Renders a run: its goal, one line for each task, conflict and review, and what it waits for or how it ended. */
export function runTree(view: RunView, { now, width, paint }: RunTreeOptions): string[] {
  const { run, goal, startedAt, endedAt, usd, outcome, parts, waitingTasks, decision, request } = view;
  const elapsed = formatAge((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt));
  const cost = usd === null ? [] : [formatMoney(usd)];
  const rows = [
    ...parts.map((part) => partRow(part, now)),
    ...waitingTasks.map((task) => [`  ${task}`, "", "waiting", "", "", ""]),
  ];
  const states = [...parts.map(({ state }) => state), ...waitingTasks.map(() => "waiting")];
  const lines = table(rows).map((line, at) => {
    const style = styleOf(states[at] ?? "");
    const shown = truncateLine(line, width);
    return style === null ? shown : paint(style, shown);
  });
  const state = outcome === null ? view.reason : `${outcome}: ${view.reason}`;
  const style = outcome === null ? null : styleOf(outcome);
  const last = truncateLine(toOneLine(state), width);
  return [
    paint("bold", truncateLine([run, toOneLine(goal), elapsed, ...cost].join(" · "), width)),
    ...lines,
    style === null ? last : paint(style, last),
    ...(request === null ? [] : [truncateLine(`Request: ${toOneLine(request)}`, width)]),
    ...(decision === null ? [] : [truncateLine(`Read it with: fairlead approve ${run} --show`, width)]),
  ];
}

function partRow(part: RunPartView, now: number): string[] {
  const { kind, task, agent, state, since, endedAt, usd, changes } = part;
  return [
    `  ${kind === "task" ? (task ?? "") : kind}`,
    toOneLine(agent),
    state,
    formatAge((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(since)),
    usd === null ? "-" : formatMoney(usd),
    changes === null ? "" : formatChanges(changes),
  ];
}

function styleOf(state: string): PaintStyle | null {
  if (goodStates.includes(state)) return "green";
  if (badStates.includes(state)) return "red";
  if (state === "asks you") return "yellow";
  return state === "waiting" ? "dim" : null;
}
