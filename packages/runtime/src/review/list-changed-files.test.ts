import type { Event } from "@fairlead/contract";
import { expect, it } from "vitest";
import { listChangedFiles } from "./list-changed-files.ts";

function fileChangedEvents(...files: readonly [path: string, change: "created" | "modified" | "deleted"][]): Event[] {
  return files.map(([path, change], index) => ({
    id: `e${index}`,
    session: "s",
    sequence: index + 1,
    epoch: 1,
    turn: "t",
    occurredAt: new Date(index * 1000).toISOString(),
    agent: "scripted",
    model: null,
    spool: index + 1,
    synthetic: false,
    body: { type: "file.changed", path, change },
  }));
}

it("lists each file once, with its last change and time", () => {
  const events = fileChangedEvents(
    ["b", "modified"],
    ["a", "created"],
    ["b", "deleted"],
    ["a", "modified"],
    ["c", "modified"],
  );
  expect(listChangedFiles(events, "/w")).toEqual([
    { path: "a", change: "created", at: "1970-01-01T00:00:03.000Z" },
    { path: "b", change: "deleted", at: "1970-01-01T00:00:02.000Z" },
    { path: "c", change: "modified", at: "1970-01-01T00:00:04.000Z" },
  ]);
});

it("lists a file that was deleted and created again as created", () => {
  expect(listChangedFiles(fileChangedEvents(["a", "deleted"], ["a", "created"]), "/w")).toMatchObject([
    { change: "created" },
  ]);
});

it("ignores other events", () => {
  const [event] = fileChangedEvents(["a", "created"]);
  if (event === undefined) throw new Error("The event is missing.");
  expect(listChangedFiles([{ ...event, body: { type: "tool.started", call: "c" } }], "/w")).toEqual([]);
});

it("lists a file once that the agent and Fairlead name differently", () => {
  const events = fileChangedEvents(["/w/a", "created"], ["a", "modified"]).map((event, index) =>
    index === 0
      ? event
      : { ...event, body: { ...event.body, source: "observed", attribution: "unknown" } as Event["body"] },
  );
  expect(listChangedFiles(events, "/w")).toMatchObject([{ path: "/w/a", change: "created", attribution: "unknown" }]);
});
