import { formatAge, formatCosts, formatSessionState, type SessionView, toOneLine } from "@fairlead/api";
import { table, truncateLine } from "./text-layout.ts";
import type { Paint } from "./paint.ts";

export interface SessionTableOptions {
  readonly now: number;
  readonly width: number;
  readonly paint: Paint;
  /** How far sessions are indented. */
  readonly indents?: ReadonlyMap<string, number>;
}

const narrowWidth = 90;
const heading = ["ID", "NAME", "AGENT", "STATE", "SANDBOX", "ACTIVE", "TURNS", "COST", "TITLE"];

/** Whether the table has a column with costs. In a narrow terminal the title says more than the counts. */
export function showsCost(width: number): boolean {
  return width >= narrowWidth;
}

/** Renders sessions as a table, one line each, cut to the width of the screen. */
export function sessionTable(
  sessions: readonly SessionView[],
  { now, width, paint, indents }: SessionTableOptions,
): string[] {
  const rows = [heading, ...sessions.map((session) => sessionRow(session, now, indents?.get(session.session) ?? 0))];
  // Without names the column is left out, which leaves more space for the titles.
  const isNamed = sessions.some(({ name }) => name !== null);
  const hidden = [...(isNamed ? [] : ["NAME"]), ...(showsCost(width) ? [] : ["TURNS", "COST"])];
  const [head = "", ...lines] = table(
    rows.map((cells) => cells.filter((_, at) => !hidden.includes(heading[at] ?? ""))),
  );
  return [paint("bold", truncateLine(head, width)), ...lines.map((line) => truncateLine(line, width))];
}

function sessionRow(view: SessionView, now: number, indent: number): string[] {
  const { session, name, agent, problem, lastAt, turns, cost, estimate, title } = view;
  return [
    `${"  ".repeat(indent)}${session}`,
    name ?? "",
    toOneLine(agent),
    formatSessionState(view),
    sandboxCell(view.sandbox),
    formatAge(now - Date.parse(lastAt)),
    String(turns),
    formatCosts(cost, estimate?.amount ?? null),
    // The problem says more than the title. Only `status` has space for both.
    toOneLine(problem ?? title),
  ];
}

/** What limits the agent's processes besides the files. A daemon of an older version reports no sandbox, and has none. */
function sandboxCell(sandbox: SessionView["sandbox"] | undefined): string {
  if (sandbox?.kind !== "bwrap") return "none";
  const limits = [
    ...(sandbox.workspace === "read" ? ["read-only"] : []),
    ...(sandbox.network === "open" ? [] : [sandbox.network === "none" ? "no network" : "gate"]),
  ];
  return limits.length === 0 ? "yes" : limits.join(", ");
}
