import type { Event } from "@fairlead/contract";
import { expect, it } from "vitest";
import { filesOf } from "./files-of.ts";

function changes(...said: readonly [path: string, change: "created" | "modified" | "deleted"][]): Event[] {
  return said.map(([path, change], at) => ({
    id: `e${at}`,
    session: "s",
    sequence: at + 1,
    epoch: 1,
    turn: "t",
    occurredAt: new Date(at * 1000).toISOString(),
    agent: "scripted",
    model: null,
    spool: at + 1,
    synthetic: false,
    body: { type: "file.changed", path, change },
  }));
}

it("tells of each file once, with what became of it and when", () => {
  const events = changes(["b", "modified"], ["a", "created"], ["b", "deleted"], ["a", "modified"], ["c", "modified"]);
  expect(filesOf(events)).toEqual([
    { path: "a", change: "created", at: "1970-01-01T00:00:03.000Z" },
    { path: "b", change: "deleted", at: "1970-01-01T00:00:02.000Z" },
    { path: "c", change: "modified", at: "1970-01-01T00:00:04.000Z" },
  ]);
});

it("takes what was deleted and made again for made", () => {
  expect(filesOf(changes(["a", "deleted"], ["a", "created"]))).toMatchObject([{ change: "created" }]);
});

it("does not mind other events", () => {
  const [event] = changes(["a", "created"]);
  if (event === undefined) throw new Error("There is one.");
  expect(filesOf([{ ...event, body: { type: "tool.started", call: "c" } }])).toEqual([]);
});
