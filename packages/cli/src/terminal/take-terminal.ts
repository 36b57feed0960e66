import type { Fairlead, SessionView } from "@fairlead/api";
import type { Delta, Event, TerminalSize } from "@fairlead/contract";
import type { FarTerminal } from "./join-terminal.ts";

type Items = AsyncIterator<Event | Delta>;

/** Takes a session over, and gives the agent's own terminal. It ends when the agent leads again. */
export async function takeTerminal(
  fairlead: Fairlead,
  { session, last, state }: SessionView,
  size: TerminalSize,
  signal: AbortSignal,
): Promise<FarTerminal> {
  const options = { after: last - 1, follow: true, deltas: true, signal };
  const items = fairlead.events(session, options)[Symbol.asyncIterator]();
  // The newest event comes at once: once it is here we are listening, and nothing that is shown can be missed.
  await items.next();
  let next = items.next();
  await fairlead.takeOver(session, size);
  if (state === "paused") {
    // Nobody was listening to a session that had no process; so what it has shown is asked for again.
    while (!isLead((await next).value, "human")) next = items.next();
    next = items.next();
    await fairlead.takeOver(session, size);
  }
  return {
    screen: screenOf(items, next),
    type: inTurn((text: string) => fairlead.type(session, text)),
    resize: inTurn((to: TerminalSize) => fairlead.resize(session, to)),
  };
}

async function* screenOf(items: Items, first: Promise<IteratorResult<Event | Delta>>): AsyncGenerator<string> {
  try {
    for (let one = await first; !one.done && !isLead(one.value, "agent"); one = await items.next()) {
      if ("type" in one.value && one.value.type === "screen") yield one.value.text;
    }
  } finally {
    await items.return?.();
  }
}

function isLead(item: Event | Delta | undefined, lead: "agent" | "human"): boolean {
  if (item === undefined) return true; // it is all over
  return "body" in item && item.body.type === "lead.changed" && item.body.lead === lead;
}

/** One after the other: keys that overtake each other are other words. */
function inTurn<Value>(act: (value: Value) => Promise<void>): (value: Value) => Promise<void> {
  let before = Promise.resolve();
  return (value) => (before = before.catch(() => {}).then(() => act(value)));
}
