import type { SessionView } from "@fairlead/api";
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

const heading = ["ID", "NAME", "AGENT", "STATE", "AGE", "TURNS", "COST", "TITLE"];

/** Sessions as a table, a line each, no line wider than the screen. */
export function sessionTable(sessions: readonly SessionView[], { now, width, paint }: SessionTableOptions): string[] {
  const rows = [heading, ...sessions.map((session) => row(session, now))];
  // Most people name none of them, and a column of nothing takes room from the titles.
  const isNamed = sessions.some(({ name }) => name !== null);
  const [head = "", ...lines] = table(isNamed ? rows : rows.map((cells) => cells.toSpliced(1, 1)));
  return [paint("bold", cut(head, width)), ...lines.map((line) => cut(line, width))];
}

function row({ session, name, agent, state, reason, lastAt, turns, cost, title }: SessionView, now: number): string[] {
  return [
    session,
    name ?? "",
    oneLine(agent),
    state === "ended" && reason !== null ? `ended (${reason})` : state,
    age(now - Date.parse(lastAt)),
    String(turns),
    cost === null ? "-" : money(cost),
    oneLine(title),
  ];
}
