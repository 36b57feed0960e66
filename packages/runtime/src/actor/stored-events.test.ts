import { FairleadError, storedEventVersion, type Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import { decodeEvent, encodeEvents } from "./stored-events.ts";

const event: Event = {
  id: "s/1.0",
  session: "s",
  sequence: 1,
  epoch: 1,
  turn: null,
  occurredAt: "2026-01-01T00:00:00.000Z",
  agent: "scripted",
  model: null,
  spool: 1,
  synthetic: false,
  body: { type: "status.reported", level: "info", message: "hello" },
};
const encodeJson = (stored: unknown): Uint8Array => Buffer.from(JSON.stringify(stored));

test("an event is stored with its version and decoded unchanged", () => {
  const [bytes = new Uint8Array()] = encodeEvents([event]);
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ v: storedEventVersion, ...event });
  expect(decodeEvent(bytes)).toEqual(event);
});

test("an event without a version is read as version 1", () => {
  const { agent: provider, ...rest } = event;
  expect(decodeEvent(encodeJson({ ...rest, provider }))).toEqual(event);
});

test("an event of a newer version becomes unrecognized and keeps its stored text", () => {
  const stored = { v: storedEventVersion + 1, ...event, body: { type: "robot.danced", steps: 3 } };
  const { body, ...envelope } = decodeEvent(encodeJson(stored));
  expect(envelope).toEqual({ ...event, body: undefined });
  expect(body.type === "unrecognized" && JSON.parse(body.raw)).toEqual(stored);
});

test("an event whose envelope cannot be read is reported as corrupt", () => {
  expect(() => decodeEvent(encodeJson({ v: storedEventVersion, body: event.body }))).toThrow(FairleadError);
});
