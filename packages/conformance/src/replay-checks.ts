import assert from "node:assert/strict";
import { basename } from "node:path";
import { Event, findViolations } from "@fairlead/contract";
import type { Adapter, ClauseId, EventDraft, Effect, LaunchCommand, SpoolRecord } from "@fairlead/contract";
import {
  adapterFailurePrefix,
  findEffectOfRecord,
  invalidEventPrefix,
  SessionReducer,
  unlawfulEventPrefix,
} from "@fairlead/reducer";
import type { PendingEffect, SessionState } from "@fairlead/reducer";
import { replayEvents, nonEmptyLines, replayRecords, toJsonLines } from "./recording.ts";
import { assertRepeatedRequestsRefused } from "./repeated-request.ts";
import type { Finding } from "./verdict.ts";

/** The spool of one session. A stored recording also has the events that it must reduce to. */
export interface Recording {
  readonly name: string;
  readonly records: readonly SpoolRecord[];
  readonly expected?: string;
}

type ReplayCheck = (adapter: Adapter, recording: Recording) => void;

/** The clauses that can be checked on a recording alone, without running a program. */
export const replayChecks: Readonly<Partial<Record<ClauseId, ReplayCheck>>> = {
  "session:lawful"(adapter, { records }) {
    const events = replayEvents(adapter, records).map((draft, index) => ({ ...draft, sequence: index + 1, epoch: 1 }));
    for (const event of events) Event.parse(event);
    assert.deepEqual(findViolations(events), []);
  },
  "dialect:lawful"(adapter, { records }) {
    const unlawful = replayEvents(adapter, records).filter(
      ({ body }) =>
        body.type === "unrecognized" &&
        [unlawfulEventPrefix, invalidEventPrefix, adapterFailurePrefix].some((prefix) =>
          body.reason.startsWith(prefix),
        ),
    );
    assert.deepEqual(unlawful, []);
  },
  "dialect:pure"(adapter, { records }) {
    const continuousReducer = new SessionReducer(adapter);
    const single = records.map((record) => continuousReducer.reduce(record));
    let state: SessionState | undefined;
    const restored = records.map((record) => {
      const reducer = new SessionReducer(adapter, state);
      const reduction = reducer.reduce(record);
      state = JSON.parse(JSON.stringify(reducer.state)) as SessionState;
      return reduction;
    });
    assert.deepEqual(restored, single);
    assert.deepEqual(state, JSON.parse(JSON.stringify(continuousReducer.state)));
  },
  "dialect:hostile"(adapter, { records }) {
    for (const line of hostileLines) {
      for (const index of [2, Math.ceil(records.length / 2), records.length - 1]) {
        const reducer = new SessionReducer(adapter);
        for (const record of records.slice(0, index)) reducer.reduce(record);
        const isOver = reducer.state.ledger.over || reducer.state.opening === null;
        const last = records[index - 1];
        if (isOver || last === undefined) continue;
        const hostile: SpoolRecord = {
          ...last,
          seq: last.seq + 1,
          kind: "out",
          id: "",
          bytes: typeof line === "string" ? Buffer.from(line) : line,
        };
        const events = reducer.reduce(hostile).outputs.filter((output): output is EventDraft => "body" in output);
        for (const { body } of events)
          // The reducer records an exception as an event.
          if (body.type === "unrecognized") assert.ok(!body.reason.startsWith(adapterFailurePrefix), body.reason);
        assert.ok(events.length <= 1, `the dialect emitted ${events.length} events for one invalid line`);
      }
    }
  },
  "decision:open-id"(adapter, { records }) {
    assertRepeatedRequestsRefused(adapter, records);
  },
  "dialect:steady"(adapter, { records, expected }) {
    if (expected === undefined) throw new Error("The recording cannot be compared: it has no expected events.");
    const actualEvents = toJsonLines(replayRecords(adapter, records));
    assertInputsMatchEffects(adapter, records);
    assert.deepEqual(
      nonEmptyLines(actualEvents).map((line) => JSON.parse(line) as unknown),
      nonEmptyLines(expected).map((line) => JSON.parse(line) as unknown),
    );
  },
};

/** Asserts that the dialect requested every input in the recording, byte for byte. */
function assertInputsMatchEffects(adapter: Adapter, records: readonly SpoolRecord[]): void {
  const reducer = new SessionReducer(adapter);
  const effects = new Map(
    records.flatMap((record) => reducer.reduce(record).pendingEffects).map((pending) => [pending.id, pending]),
  );
  for (const record of records) {
    const { id, kind, bytes } = record;
    const text = Buffer.from(bytes).toString("utf8");
    const effect = findEffectOfRecord(record, effects)?.effect;
    if (kind === "in") assert.equal(effect?.type === "write" ? effect.text : effect, text);
    if (kind === "stdin-closed" && id !== "") assert.deepEqual(effect, { type: "close-stdin" });
    if (kind === "note" && id.startsWith("alarm-")) assertAlarmRequested(id, text, effects);
    if (kind === "launch")
      assert.deepEqual(comparableLaunch(effect), withoutMachineSpecifics(JSON.parse(text) as LaunchCommand));
  }
}

/** Asserts that the record which an alarm's note names requested that alarm, at any position. */
function assertAlarmRequested(id: string, text: string, effects: ReadonlyMap<string, PendingEffect>): void {
  const { name } = JSON.parse(text) as { name: string };
  const cause = id.replace(/^alarm-(\d+\.).*/, "$1");
  const isRequested = ({ id: effectId, effect }: PendingEffect): boolean =>
    effectId.startsWith(cause) && effect.type === "alarm" && effect.name === name;
  assert.ok([...effects.values()].some(isRequested), `the alarm ${name} of ${id} was not requested`);
}

function comparableLaunch(effect: Effect | undefined): object | undefined {
  return effect?.type === "launch" ? withoutMachineSpecifics(effect.command) : effect;
}

/** Removes what differs between machines: the folders of programs, and the environment. */
function withoutMachineSpecifics({ program, args, cwd, stdin }: LaunchCommand): object {
  return {
    program: basename(program),
    args: args.map((arg) => (arg.startsWith("/") ? basename(arg) : arg)),
    cwd,
    stdin,
  };
}

const hostileLines = [
  "\n",
  "not JSON at all\n",
  '{"type":\n',
  "null\n",
  "[]\n",
  "12\n",
  '"text"\n',
  "{}\n",
  '{"type":null}\n',
  '{"type":"unknown-type"}\n',
  '{"type":"__proto__","__proto__":{"polluted":true}}\n',
  '{"type":"constructor","constructor":{"prototype":{"polluted":true}}}\n',
  `${"[".repeat(5000)}${"]".repeat(5000)}\n`,
  "\u001b[2J\u001b]0;title\u0007\u0000\n",
  Buffer.from([0xff, 0xfe, 0x80, 0x0a]),
];

export function runReplayChecks(adapter: Adapter, recording: Recording): Finding[] {
  const checks = (Object.entries(replayChecks) as [ClauseId, ReplayCheck][]).filter(
    ([clause]) => clause !== "dialect:steady" || recording.expected !== undefined,
  );
  return checks.map(([clause, check]) => {
    try {
      check(adapter, recording);
      return { clause, scenario: recording.name, problem: null };
    } catch (error) {
      return { clause, scenario: recording.name, problem: error instanceof Error ? error.message : String(error) };
    }
  });
}
