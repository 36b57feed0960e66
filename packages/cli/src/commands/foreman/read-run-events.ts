import type { Fairlead, RunEvent } from "@fairlead/api";

/** Reads all events of a run that there are now. */
export async function readRunEvents(fairlead: Pick<Fairlead, "runEvents">, run: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await fairlead.runEvents({ run, after: events.at(-1)?.seq ?? 0 });
    events.push(...page.events);
    if (page.events.length === 0) return events;
  }
}
