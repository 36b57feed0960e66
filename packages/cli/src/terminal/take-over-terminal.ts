import type { Fairlead, SessionView } from "@fairlead/api";
import type { Delta, Event, TerminalSize } from "@fairlead/contract";
import type { RemoteTerminal } from "./connect-terminals.ts";

type ItemIterator = AsyncIterator<Event | Delta>;

/** Takes a session over and returns the agent's own terminal, which ends when the agent leads again. */
export async function takeOverTerminal(
  fairlead: Fairlead,
  { session, last, state }: SessionView,
  size: TerminalSize,
  signal: AbortSignal,
): Promise<RemoteTerminal> {
  const options = { after: last - 1, follow: true, deltas: true, signal };
  const items = fairlead.events(session, options)[Symbol.asyncIterator]();
  // The newest event arrives at once. From then on the subscription is active, and no output can be missed.
  await items.next();
  let next = items.next();
  await fairlead.takeOver(session, size);
  if (state === "paused") {
    // A paused session has no process to subscribe to, so its first output was missed. A second take-over repeats it.
    while (!isLeadChange((await next).value, "human")) next = items.next();
    next = items.next();
    await fairlead.takeOver(session, size);
  }
  return {
    screen: readScreen(items, next),
    type: (text) => fairlead.type(session, text),
    resize: serializeCalls((to: TerminalSize) => fairlead.resize(session, to)),
  };
}

async function* readScreen(items: ItemIterator, first: Promise<IteratorResult<Event | Delta>>): AsyncGenerator<string> {
  try {
    for (let result = await first; !result.done && !isLeadChange(result.value, "agent"); result = await items.next()) {
      if ("type" in result.value && result.value.type === "screen") yield result.value.text;
    }
  } finally {
    await items.return?.();
  }
}

function isLeadChange(item: Event | Delta | undefined, lead: "agent" | "human"): boolean {
  if (item === undefined) return true; // the stream has ended
  return "body" in item && item.body.type === "lead.changed" && item.body.lead === lead;
}

/** Runs calls one after the other: a size that overtakes a later one would remain. */
function serializeCalls<Value>(call: (value: Value) => Promise<void>): (value: Value) => Promise<void> {
  let previous = Promise.resolve();
  return (value) => (previous = previous.catch(() => {}).then(() => call(value)));
}
