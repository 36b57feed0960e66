import { toJournal } from "@fairlead/testing/web/lawful-session.ts";
import { expect, test } from "vitest";
import { rowOfEvent } from "./row-of-event.ts";

test.each([
  ["Go.", "Go.", false],
  ["<context>\nThe port is 80.\n</context>\n\nGo.", "Go.", true],
])("the row of the message %j has the words of its sender", (input, text, hasContext) => {
  const event = toJournal([{ type: "turn.started", turn: "1", input, origin: "user" }]).at(-1)!;
  expect(rowOfEvent({ event, key: "k", previousAt: null })).toMatchObject({ type: "message", text, hasContext });
});
