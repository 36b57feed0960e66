import type { Event, EventOf } from "@fairlead/contract";

export interface RaceOutcomes {
  readonly requests: number;
  /** Who resolved how many, as `allowed by person`. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Allowed calls that an interrupt stopped before they wrote anything. */
  readonly stopped: number;
  /** What must not be, one sentence each. */
  readonly faults: readonly string[];
}

/** Compares the journal with what ran: the lines of the file that each call writes its number to. */
export function examineOutcomes(events: readonly Event[], lines: readonly string[]): RaceOutcomes {
  const bodies = events.map(({ body }) => body);
  const requested = bodies.filter((body) => body.type === "decision.requested");
  const resolved = Map.groupBy(
    bodies.filter((body) => body.type === "decision.resolved"),
    ({ decision }) => decision,
  );
  const interrupted = new Set(
    bodies.flatMap((body) => (body.type === "tool.ended" && body.reason === "interrupted" ? body.call : [])),
  );
  const kinds: Record<string, number> = {};
  const faults: string[] = [];
  const expected: string[] = [];
  let stopped = 0;
  for (const { decision, call = "", input, reading } of requested) {
    const outcomes = resolved.get(decision) ?? [];
    if (outcomes.length !== 1) faults.push(`${decision} has ${outcomes.length} outcomes.`);
    const [first] = outcomes;
    if (first === undefined) continue;
    const kind = `${first.outcome} by ${first.by.kind}`;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (first.outcome !== "allowed") continue;
    if (reading?.verdict === "deny") faults.push(`${decision} was allowed, and a rule denies it.`);
    const line = writtenBy((first.input ?? input) as { command: string });
    const hasRun = lines.includes(line);
    if (!hasRun && interrupted.has(call)) stopped += 1;
    else expected.push(line);
  }
  for (const line of expected) {
    const count = lines.filter((one) => one === line).length;
    if (count !== 1) faults.push(`${line} was allowed and ran ${count} times.`);
  }
  const allowed = new Set(expected);
  for (const line of lines) if (!allowed.has(line)) faults.push(`${line} ran and was not allowed.`);
  return { requests: requested.length, kinds, stopped, faults };
}

function writtenBy({ command }: Pick<EventOf<"decision.requested">, "input"> & { command: string }): string {
  return /(\S+) >> ran$/.exec(command)?.[1] ?? "";
}
