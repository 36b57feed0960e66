import type { Fairlead, SessionView } from "@fairlead/api";
import type { Delta } from "@fairlead/contract";

/** What a terminal draws, and its size if it is known. */
export type WatchedOutput = Pick<Delta, "text" | "size">;

/**
 * Yields what the agent's terminal draws from now on, with its size, until the agent leads again. A watcher cannot make it
 * draw.
 */
export async function* watchScreen(
  fairlead: Fairlead,
  { session, last }: SessionView,
  signal: AbortSignal,
): AsyncGenerator<WatchedOutput> {
  for await (const item of fairlead.events(session, { after: last, follow: true, deltas: true, signal })) {
    if ("body" in item) {
      if (item.body.type === "lead.changed" && item.body.lead === "agent") return;
    } else if (item.type === "screen") yield item;
  }
}
