import type { AgentEvent, Continuation, Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import { buildPreamble } from "./preamble.ts";

interface TimedInput {
  readonly at: number;
  readonly input: string;
}

/** Creates the events of a session that a preamble depends on: its start, and its turns with their times. */
function sessionEvents(at: number, continues: Continuation | null, ...inputs: TimedInput[]): Event[] {
  const started = { type: "session.started", continues } as AgentEvent;
  const turns = inputs.map(
    ({ at, input }) => [at, { type: "turn.started", turn: "t", input, origin: "user" }] as const,
  );
  return [[at, started] as const, ...turns].map(
    ([time, body], index) => ({ sequence: index + 1, occurredAt: new Date(time).toISOString(), body }) as Event,
  );
}

const nativeContinuation = { session: "old", agentSessionId: "n", outcome: "native" } as const;
const oldSession = sessionEvents(1, null, { at: 2, input: "heliotrope" }, { at: 9, input: "parsnip" });
const preamble = async (sessions: Readonly<Record<string, Event[]>>): Promise<string> =>
  (await buildPreamble((id) => toAsync(sessions[id] ?? []), "new")).join();

async function* toAsync(events: readonly Event[]): AsyncGenerator<Event> {
  yield* events;
}

test("a native continuation includes the session before it, a native fork only up to the fork", async () => {
  const turn = { at: 6, input: "marmalade" };
  const fork = await preamble({ old: oldSession, new: sessionEvents(5, { ...nativeContinuation, fork: true }, turn) });
  expect(fork).toMatch(/heliotrope.*marmalade/s);
  expect(fork).not.toContain("parsnip");
  expect(await preamble({ old: oldSession, new: sessionEvents(10, nativeContinuation, turn) })).toMatch(
    /heliotrope.*parsnip.*marmalade/s,
  );
  // A rebuilt session has the old conversation in its first message, and a fresh one does not have it.
  for (const outcome of ["rebuilt", "fresh"] as const) {
    const continues = { session: "old", agentSessionId: null, outcome };
    expect(await preamble({ old: oldSession, new: sessionEvents(10, continues, turn) })).not.toContain("heliotrope");
  }
});

test.for([
  ["two events have the same time", { at: 5, input: "heliotrope" }, { at: 5, input: "parsnip" }],
  ["the clock was set back after the fork", { at: 5, input: "heliotrope" }, { at: 1, input: "parsnip" }],
  ["the clock was set back before the fork", { at: 9, input: "heliotrope" }, { at: 9, input: "parsnip" }],
] as const)("a fork is cut by sequence if %s", async ([, before, after]) => {
  const old = sessionEvents(0, null, before, after);
  const continues = { ...nativeContinuation, fork: true, after: 2 } as const;
  const text = await preamble({ old, new: sessionEvents(5, continues, { at: 6, input: "marmalade" }) });
  expect(text).toMatch(/heliotrope.*marmalade/s);
  expect(text).not.toContain("parsnip");
  // A fork of a fork inherits the cut, and has its own.
  const second = sessionEvents(5, { ...continues, session: "first" }, { at: 5, input: "turnip" });
  const first = sessionEvents(5, continues, { at: 5, input: "marmalade" }, { at: 5, input: "radish" });
  const nested = await preamble({ old, first, new: second });
  expect(nested).toMatch(/heliotrope.*marmalade.*turnip/s);
  expect(nested).not.toMatch(/parsnip|radish/);
});

test("a preamble ends with the given sequence", async () => {
  const read = () => toAsync(sessionEvents(0, null, { at: 1, input: "heliotrope" }, { at: 1, input: "parsnip" }));
  expect((await buildPreamble(read, "new", 2)).join()).toContain("heliotrope");
  expect((await buildPreamble(read, "new", 2)).join()).not.toContain("parsnip");
});

test("a session without turns has no preamble", async () => {
  expect(await buildPreamble(() => toAsync(sessionEvents(1, null)), "new")).toEqual([]);
});

test("the preamble of a long conversation contains its end", async () => {
  const turns = [`first ${"x".repeat(20_000)}`, "last"].map((input, at) => ({ at, input }));
  const text = await preamble({ new: sessionEvents(0, null, ...turns) });
  expect(text).toContain("last");
  expect(text).not.toContain("first");
});

test("the parts of a long text are joined, and of a very long conversation only the end is kept", async () => {
  const part = (number: number, text: string): AgentEvent => ({ type: "text.ended", text, part: number });
  const events = (...bodies: AgentEvent[]): Event[] =>
    bodies.map((body, index) => ({ sequence: index + 1, occurredAt: new Date(index).toISOString(), body }) as Event);
  const turn: AgentEvent = { type: "turn.started", turn: "t", input: "Go.", origin: "user" };
  const short = await preamble({
    new: events(turn, part(1, "One, "), { ...part(2, "two."), last: true } as AgentEvent),
  });
  expect(short).toMatch(/\n\nPerson: Go\.\nAgent: One, two\.$/);
  const long = await preamble({ new: events(turn, ...[1, 2, 3].map((number) => part(number, "x".repeat(1_048_576)))) });
  expect(long).toMatch(/conversation:\n\n\(…\)\nx{12000}$/);
});
