import type { Event } from "@fairlead/contract";
import type { EventLog } from "@fairlead/journal";
import { expect, test } from "vitest";
import { encodeEvents } from "../actor/stored-events.ts";
import { readNewestChange } from "./newest-change.ts";

const common = {
  session: "s",
  epoch: 1,
  turn: null,
  occurredAt: "2026-01-01T00:00:00.000Z",
  agent: "scripted",
} as const;
const paused: Event["body"] = { type: "session.paused", reason: "moved" };
const queued: Event["body"] = { type: "message.queued", turn: "t", text: "Hello." };
const changed: Event["body"] = { type: "file.changed", path: "a", change: "modified", source: "observed" };

/** A log with one session. */
function createLog(bodies: readonly Event["body"][]): Pick<EventLog, "read"> {
  const events = bodies.map((body, index): Event => ({
    ...common,
    id: `s/1.${index}`,
    sequence: index + 1,
    model: null,
    spool: index + 1,
    synthetic: false,
    body,
  }));
  const read = async function* (_session: string, after: number) {
    yield { first: after + 1, events: encodeEvents(events.slice(after)) };
  };
  return { read } as unknown as Pick<EventLog, "read">;
}

test.each([
  ["a message waits for the next host", [queued]],
  ["its last files are compared", [changed, queued]],
  ["many files are compared", Array.from({ length: 500 }, () => changed)],
])("a session is still paused after %s", async (_, later) => {
  const bodies = [queued, paused, ...later];
  expect((await readNewestChange(createLog(bodies), "s", bodies.length))?.body).toEqual(paused);
});

test("a session without such an event has none", async () => {
  expect(await readNewestChange(createLog([]), "s", 0)).toBeUndefined();
  expect(await readNewestChange(createLog([changed, changed]), "s", 2)).toBeUndefined();
});
