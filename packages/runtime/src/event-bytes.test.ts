import { FairleadError, storedEventVersion, type Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import { fromBytes, toBytes } from "./event-bytes.ts";

const event: Event = {
  id: "s/1.0",
  session: "s",
  sequence: 1,
  epoch: 1,
  turn: null,
  occurredAt: "2026-01-01T00:00:00.000Z",
  agent: "made-up",
  model: null,
  spool: 1,
  synthetic: false,
  body: { type: "status.reported", level: "info", message: "so" },
};
const bytesOf = (stored: unknown): Uint8Array => Buffer.from(JSON.stringify(stored));

test("an event is stored with the version of its form and read back as it was", () => {
  const [bytes = new Uint8Array()] = toBytes([event]);
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ v: storedEventVersion, ...event });
  expect(fromBytes(bytes)).toEqual(event);
});

test("an event without a version is read as version 1", () => {
  const { agent: provider, ...rest } = event;
  expect(fromBytes(bytesOf({ ...rest, provider }))).toEqual(event);
});

test("an event that only a newer version knows becomes unrecognized, with everything that was stored", () => {
  const stored = { v: storedEventVersion + 1, ...event, body: { type: "robot.danced", steps: 3 } };
  const { body, ...envelope } = fromBytes(bytesOf(stored));
  expect(envelope).toEqual({ ...event, body: undefined });
  expect(body.type === "unrecognized" && JSON.parse(body.raw)).toEqual(stored);
});

test("an event whose envelope cannot be read is reported as corrupt", () => {
  expect(() => fromBytes(bytesOf({ v: storedEventVersion, body: event.body }))).toThrow(FairleadError);
});
