import type { EventOf } from "@fairlead/contract";
import type { ToolRow } from "./timeline-row.ts";

interface CallAnswer {
  readonly answer: EventOf<"decision.resolved">;
  readonly sequence: number;
  readonly requestedAt: string;
  readonly resolvedAt: string;
}

/** Adds to a call what was answered to one of its requests: how long it waited, and the input that runs instead. */
export function withAnswer(row: ToolRow, { answer, sequence, requestedAt, resolvedAt }: CallAnswer): ToolRow {
  const { waited } = row;
  // Requests of one call may overlap, and their waits must not count twice.
  const from = waited !== null && waited.until > requestedAt ? waited.until : requestedAt;
  const milliseconds = (waited?.milliseconds ?? 0) + Math.max(0, Date.parse(resolvedAt) - Date.parse(from));
  const answered: ToolRow = {
    ...row,
    last: sequence,
    size: row.size + 1,
    waited: { milliseconds, until: resolvedAt > from ? resolvedAt : from },
  };
  if (answer.outcome !== "allowed" || answer.input === undefined) return answered;
  // The rest of the action describes what was asked for.
  const action = row.action === undefined ? undefined : { kind: row.action.kind };
  return {
    ...answered,
    input: answer.input,
    action,
    requested: row.requested ?? { input: row.input, action: row.action },
  };
}

/** How long a call ran or runs, in milliseconds, without the time in which it waited for answers. Null if it is not known. */
export function runTimeOf({ at, endedAt, elapsedSeconds, waited }: ToolRow): number | null {
  if (endedAt !== null) return Math.max(0, Date.parse(endedAt) - Date.parse(at) - (waited?.milliseconds ?? 0));
  return elapsedSeconds === null ? null : elapsedSeconds * 1000;
}
