import { formatAge, formatMoney, type RunPartView, type RunView, toOneLine } from "@fairlead/api";
import type { Paint, PaintStyle } from "../paint.ts";
import { table, truncateLine } from "../text-layout.ts";
import { formatChanges } from "./run-sentences.ts";

export interface RunTreeOptions {
  readonly now: number;
  readonly width: number;
  readonly paint: Paint;
  /** Why work was not accepted, shown below the state. */
  readonly problems?: readonly string[];
  /** The most lines that fit. Default: all are shown. The first and the last ones always are. */
  readonly maxRows?: number;
}

const goodStates = ["done", "approved", "tested", "no-op"];
const badStates = ["failed", "blocked", "exhausted", "stalled", "timed-out", "canceled"];

/** Renders a run: its goal, one line for each task, conflict and review, and what it waits for or how it ended. */
export function runTree(view: RunView, options: RunTreeOptions): string[] {
  const { now, width, paint, problems = [], maxRows = Infinity } = options;
  const { run, goal, startedAt, endedAt, usd, outcome, parts, waitingTasks, decision, request } = view;
  const elapsed = formatAge((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt));
  const cost = usd === null ? [] : [formatMoney(usd)];
  const rows = [
    ...parts.map((part) => partRow(part, now)),
    ...waitingTasks.map((task) => [`  ${task}`, "", "waiting", "", "", ""]),
  ];
  const states = [...parts.map(({ state }) => state), ...waitingTasks.map(() => "waiting")];
  const lines = table(rows).map((line, at): PartLine => {
    const style = styleOf(states[at] ?? "");
    const shown = truncateLine(line, width);
    return { state: states[at] ?? "", text: style === null ? shown : paint(style, shown) };
  });
  const state = outcome === null ? view.reason : `${outcome}: ${view.reason}`;
  const style = outcome === null ? null : styleOf(outcome);
  const last = truncateLine(toOneLine(state), width);
  const tail = [
    style === null ? last : paint(style, last),
    ...problems.map((line) => truncateLine(line, width)),
    ...(request === null ? [] : [truncateLine(`Request: ${toOneLine(request)}`, width)]),
    ...(decision === null ? [] : [truncateLine(`Read it with: fairlead approve ${run} --show`, width)]),
  ];
  return [
    paint("bold", truncateLine([run, toOneLine(goal), elapsed, ...cost].join(" · "), width)),
    ...foldParts(lines, maxRows - tail.length - 1),
    ...tail,
  ];
}

interface PartLine {
  readonly state: string;
  readonly text: string;
}

/** Folds the lines of tasks that wait, then of parts that are done, then the last ones, until all fit. */
function foldParts(lines: readonly PartLine[], maxLines: number): string[] {
  const texts = (list: readonly PartLine[]): string[] => list.map(({ text }) => text);
  if (lines.length <= maxLines) return texts(lines);
  const waiting = lines.filter(({ state }) => state === "waiting").length;
  const waitLine = waiting === 0 ? [] : [`  ${waiting === 1 ? "1 task waits" : `${waiting} tasks wait`}`];
  const started = lines.filter(({ state }) => state !== "waiting");
  if (started.length + waitLine.length <= maxLines) return [...texts(started), ...waitLine];
  const isDone = ({ state }: PartLine): boolean => goodStates.includes(state);
  const done = started.filter(isDone).length;
  const folded = [...(done === 0 ? [] : [`  ${done === 1 ? "1 part is" : `${done} parts are`} done`]), ...waitLine];
  const open = started.filter((line) => !isDone(line));
  if (open.length + folded.length <= maxLines) return [...texts(open), ...folded];
  const shown = Math.max(0, maxLines - folded.length - 1);
  return [...texts(open.slice(0, shown)), `  … ${open.length - shown} more in work`, ...folded];
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
