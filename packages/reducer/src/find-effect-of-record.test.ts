import type { Effect, RecordKind, SpoolRecord } from "@fairlead/contract";
import { expect, test } from "vitest";
import type { PendingEffect } from "./emitter.ts";
import { findEffectOfRecord } from "./find-effect-of-record.ts";

const command = { program: "p", args: [], env: {}, cwd: "/", stdin: "pipe" } as const;
const effects: Readonly<Record<string, Effect>> = {
  "7.1": { type: "write", text: "one" },
  "7.2": { type: "write", text: "two" },
  "7.3": { type: "close-stdin" },
  "8.0": { type: "kill" },
  "9.1": { type: "launch", command },
};
const pending = new Map<string, PendingEffect>(
  Object.entries(effects).map(([id, effect]) => [id, { id, at: 1, effect }]),
);
const record = (kind: RecordKind, id: string, text = ""): SpoolRecord => ({
  seq: 10,
  kind,
  process: 1,
  at: 1,
  id,
  bytes: Buffer.from(text),
});

test.each<[string, SpoolRecord, string | undefined]>([
  ["by its id", record("in", "7.1", "one"), "7.1"],
  ["at another position of the same record", record("in", "7.0", "two"), "7.2"],
  ["at a position that another effect has now", record("in", "7.1", "two"), "7.2"],
  ["a closed input at another position", record("stdin-closed", "7.4"), "7.3"],
  ["a kill at another position", record("signal", "8.1", "kill"), "8.0"],
  ["a launch at another position", record("launch", "9.0"), "9.1"],
  ["not of another record", record("in", "6.1", "one"), undefined],
  ["not with another text", record("in", "7.0", "three"), undefined],
  ["not of a record whose number only begins like it", record("launch", "91.0"), undefined],
  ["not for output", record("out", "", "one"), undefined],
  ["not for an input that the agent closed", record("stdin-closed", ""), undefined],
])("finds the effect %s", (_, executed, id) => {
  expect(findEffectOfRecord(executed, pending)?.id).toBe(id);
});
