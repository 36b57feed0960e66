import { expect, test } from "vitest";
import { Event } from "./event.ts";
import { Note } from "./record.ts";
import { storedEventVersion, upcast, upcastNote } from "./upcast.ts";

const continues = { session: "s0", native: "n0", outcome: "native" };
const envelope = {
  id: "s/1.0",
  session: "s",
  sequence: 1,
  epoch: 1,
  turn: null,
  occurredAt: "2026-01-01T00:00:00.000Z",
  model: null,
  spool: 1,
  synthetic: true,
};
const started = { type: "session.started", adapterVersion: "1", agentVersion: null, protocol: "p", flags: [] };

test.each([
  [
    { ...started, name: null, adapter: "made-up", workspace: "/w", mode: "default", continues },
    { agent: "made-up", continues: { session: "s0", agentSessionId: "n0", outcome: "native" } },
  ],
  [{ type: "session.changed", native: "n" }, { agentSessionId: "n" }],
  [
    { type: "session.resumed", outcome: "native", native: "n" },
    { outcome: "native", agentSessionId: "n" },
  ],
  [{ type: "decision.resolved", decision: "d", outcome: "cancelled", by: "runtime" }, { outcome: "canceled" }],
  [
    { type: "unrecognised", reason: "r", raw: "?" },
    { type: "unrecognized", reason: "r" },
  ],
  [{ type: "text.ended", text: "hello" }, { text: "hello" }],
])("an event stored as version 1 is read as today's: %j", (body, expected) => {
  const event = Event.parse(upcast({ ...envelope, provider: "made-up", body }, 1));
  expect(event).toMatchObject({ agent: "made-up", body: expected });
});

test("an event of today's version, or of a newer one, is returned unchanged", () => {
  const event = { ...envelope, agent: "made-up", body: { type: "text.ended", text: "hello" } };
  for (const version of [storedEventVersion, storedEventVersion + 1]) expect(upcast(event, version)).toBe(event);
});

test("an opening of an older spool is read as today's", () => {
  const probed = { installed: true, program: null, version: null, flags: [], auth: "none", problems: [] };
  const opening = { session: "s", adapter: "made-up", adapterVersion: "1", workspace: "/w", mode: "default" };
  const note = { type: "opening", opening: { ...opening, settings: {}, finding: probed, continues } };
  expect(Note.parse(upcastNote(note))).toMatchObject({
    opening: { agent: "made-up", continues: { agentSessionId: "n0" } },
  });
  expect(upcastNote({ type: "lost" })).toEqual({ type: "lost" });
});
