import type { AgentEvent, Continuation, Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import { preambleOf } from "./preamble.ts";

interface Said {
  readonly at: number;
  readonly input: string;
}

/** A session's events, as far as they matter here: when it was started, and what was said in it when. */
function session(at: number, continues: Continuation | null, ...said: Said[]): Event[] {
  const started = { type: "session.started", continues } as AgentEvent;
  const turns = said.map(({ at, input }) => [at, { type: "turn.started", turn: "t", input, origin: "user" }] as const);
  return [[at, started] as const, ...turns].map(
    ([when, body]) => ({ occurredAt: new Date(when).toISOString(), body }) as Event,
  );
}

const agentSessionId = { session: "old", agentSessionId: "n", outcome: "native" } as const;
const old = session(1, null, { at: 2, input: "heliotrope" }, { at: 9, input: "parsnip" });
const preamble = async (sessions: Readonly<Record<string, Event[]>>): Promise<string> =>
  (await preambleOf((id) => reading(sessions[id] ?? []), "new")).join();

async function* reading(events: readonly Event[]): AsyncGenerator<Event> {
  yield* events;
}

test("what was said in the session before is part of it where the agent remembers that, up to the fork", async () => {
  const said = { at: 6, input: "marmalade" };
  const fork = await preamble({ old, new: session(5, { ...agentSessionId, fork: true }, said) });
  expect(fork).toMatch(/heliotrope.*marmalade/s);
  expect(fork).not.toContain("parsnip");
  expect(await preamble({ old, new: session(10, agentSessionId, said) })).toMatch(/heliotrope.*parsnip.*marmalade/s);
  // What was rebuilt was told it as part of a message, and what began anew does not know it.
  for (const outcome of ["rebuilt", "fresh"] as const) {
    const continues = { session: "old", agentSessionId: null, outcome };
    expect(await preamble({ old, new: session(10, continues, said) })).not.toContain("heliotrope");
  }
});

test("there is none where nothing was said", async () => {
  expect(await preambleOf(() => reading(session(1, null)), "new")).toEqual([]);
});

test("of a long conversation the end is told", async () => {
  const said = [`first ${"x".repeat(20_000)}`, "last"].map((input, at) => ({ at, input }));
  const told = await preamble({ new: session(0, null, ...said) });
  expect(told).toContain("last");
  expect(told).not.toContain("first");
});
