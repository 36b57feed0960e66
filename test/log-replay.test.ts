/**
 * A session that moves to another host continues from its log: with every recording of every adapter, the state that the log
 * gives must be the one that the spool gives, in all that the log can have.
 */
import { adapters } from "@fairlead/adapters";
import { readRecordings } from "@fairlead/conformance";
import type { Adapter, Event, SpoolRecord } from "@fairlead/contract";
import { LogReplay, SessionReducer, spentOf, type LogEntry, type SessionState } from "@fairlead/reducer";
import { describe, expect, test } from "vitest";

interface Replayed {
  readonly states: readonly SessionState[];
  readonly entries: readonly (readonly [seq: number, entry: LogEntry])[];
}

/** Reduces the spool. Returns the state after each record, and what the log gets of it. */
function reduceSpool(adapter: Adapter, records: readonly SpoolRecord[]): Replayed {
  const reducer = new SessionReducer(adapter);
  const states: SessionState[] = [];
  const entries: [number, LogEntry][] = [];
  let sequence = 0;
  for (const record of records) {
    if (record.kind === "note") entries.push([record.seq, { note: record }]);
    for (const output of reducer.reduce(record).outputs) {
      if (!("body" in output)) continue;
      const event = { ...output, sequence: (sequence += 1), epoch: 1 };
      entries.push([record.seq, { event: JSON.parse(JSON.stringify(event)) as Event }]);
    }
    states.push(JSON.parse(JSON.stringify(reducer.state)) as SessionState);
  }
  return { states, entries };
}

/** What the next host must know, as far as the log can say it. */
function knownFrom(state: SessionState): unknown {
  const { ledger, waitingMessages, pendingContext, agentSessionId, model, grants, transcript, opening } = state;
  return {
    ledger: JSON.parse(JSON.stringify(ledger)) as unknown,
    waiting: waitingMessages.map(({ turn, text, context }) => ({ turn, text, context })),
    pendingContext,
    agentSessionId,
    model,
    grants,
    transcript,
    opening,
    brief: state.brief.current,
    isBriefTold: state.brief.steeredTurn !== null || state.brief.isTold,
    limits: state.spending.limits,
    usage: (({ usd, tokens }) => ({ usd, tokens }))(spentOf(state.spending)),
    models: state.spending.models.length,
    desiredState: state.desiredState === "take-over" ? "run" : state.desiredState,
    stoppedFor: state.desiredState === "pause" && !isStopping(state) ? state.stoppedFor : null,
  };
}

/** Whether the session stops for a reason that no command gave: before the agent has exited, the log does not have it. */
function isStopping({ running }: SessionState): boolean {
  return running;
}

describe.each(adapters.map((adapter) => [adapter.manifest.id, adapter] as const))("%s", (id, adapter) => {
  const folder = new URL(`../packages/adapters/src/${id}/fixtures/`, import.meta.url);
  const recordings = readRecordings(folder);
  test.skipIf(recordings.length === 0).each(recordings.map((one) => [one.name, one.records] as const))(
    "%s gives the same state from its log, and from the end of a turn on",
    (_, records) => {
      const { states, entries } = reduceSpool(adapter, records);
      // The log alone, and the log after the state at the end of each turn.
      const turnEnds = entries.flatMap(([seq, entry]) => (isTurnEnd(entry) ? [indexOf(records, seq)] : []));
      const ends = [...new Set(entries.map(([seq]) => indexOf(records, seq)))];
      for (const start of new Set([-1, ...turnEnds.slice(0, 1), ...turnEnds.slice(-1)])) {
        for (const end of ends.filter((one) => one >= start).slice(-60)) {
          const stored = start < 0 ? null : { state: states[start]!, upToSeq: records[start]!.seq };
          const replay = new LogReplay(adapter, stored);
          for (const [seq, entry] of entries) if (seq <= records[end]!.seq) replay.add(entry);
          const state = replay.finish();
          expect(state && knownFrom(state), `from ${start} to ${end}`).toEqual(knownFrom(states[end]!));
        }
      }
    },
  );
});

function isTurnEnd(entry: LogEntry): boolean {
  return "event" in entry && entry.event.body.type === "turn.ended";
}

function indexOf(records: readonly SpoolRecord[], seq: number): number {
  return records.findIndex((record) => record.seq === seq);
}
