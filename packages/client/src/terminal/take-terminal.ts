import type { Fairlead, SessionView } from "@fairlead/api";
import type { Delta, Event, TerminalSize } from "@fairlead/contract";

/** The agent's own terminal under the lead of a person: its output, and a way to type into it. */
export interface TakenTerminal {
  /** Ends when the agent leads again, and when the session ends. */
  readonly screen: AsyncIterable<string>;
  /** Throws `input-full` if nothing was typed and the same text can be typed later. */
  type(text: string): Promise<void>;
  /** Resizes the terminal after all earlier calls: a size that overtakes a later one would remain. */
  resize(size: TerminalSize): Promise<void>;
}

type ItemIterator = AsyncIterator<Event | Delta>;

/**
 * Takes a session over and returns the agent's own terminal. If a person leads already, the terminal draws its screen again:
 * so does an interface that was restarted, or that lost its connection.
 */
export async function takeTerminal(
  fairlead: Fairlead,
  { session, last, state }: Pick<SessionView, "session" | "last" | "state">,
  size: TerminalSize,
  signal: AbortSignal,
): Promise<TakenTerminal> {
  const options = { after: Math.max(0, last - 1), follow: true, deltas: true, signal };
  const items = fairlead.events(session, options)[Symbol.asyncIterator]();
  // The newest event arrives at once. From then on the subscription is active, and no output can be missed.
  await items.next();
  let next = items.next();
  // A call below may fail while nothing reads the stream, and then its own failure is no other one.
  next.catch(() => {});
  await fairlead.takeOver(session, size);
  if (state === "paused") {
    // A paused session has no process to subscribe to, so its first output was missed. A second take-over repeats it.
    while (!isLeadChange((await next).value, "human")) next = items.next();
    next = items.next();
    next.catch(() => {});
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

function serializeCalls<Value>(call: (value: Value) => Promise<void>): (value: Value) => Promise<void> {
  let previous = Promise.resolve();
  return (value) => (previous = previous.catch(() => {}).then(() => call(value)));
}
