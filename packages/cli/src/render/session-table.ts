import type { Summary } from "@fairlead/runtime";
import { age, money } from "./amounts.ts";
import { cut } from "./cut.ts";
import type { Paint } from "./paint.ts";
import { table } from "./table.ts";
import { oneLine } from "./tool-lines.ts";

export interface SessionTableOptions {
  readonly now: number;
  readonly width: number;
  readonly paint: Paint;
}

const heading = ["ID", "AGENT", "STATE", "AGE", "TURNS", "COST", "TITLE"];

/** Sessions as a table, a line each, no line wider than the screen. */
export function sessionTable(sessions: readonly Summary[], { now, width, paint }: SessionTableOptions): string[] {
  const [head = "", ...lines] = table([heading, ...sessions.map((session) => row(session, now))]);
  return [paint("bold", cut(head, width)), ...lines.map((line) => cut(line, width))];
}

function row({ session, adapter, state, reason, lastAt, turns, cost, title }: Summary, now: number): string[] {
  return [
    session,
    oneLine(adapter),
    state === "ended" && reason !== null ? `ended (${reason})` : state,
    age(now - Date.parse(lastAt)),
    String(turns),
    cost === null ? "-" : money(cost),
    oneLine(title),
  ];
}
