import type { Fairlead, SessionView } from "@fairlead/api";

/** Yields what the agent's terminal draws from now on, until the agent leads again. A watcher cannot make it draw. */
export async function* watchScreen(
  fairlead: Fairlead,
  { session, last }: SessionView,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const item of fairlead.events(session, { after: last, follow: true, deltas: true, signal })) {
    if ("body" in item) {
      if (item.body.type === "lead.changed" && item.body.lead === "agent") return;
    } else if (item.type === "screen") yield item.text;
  }
}
