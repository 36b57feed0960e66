import { globSync, readFileSync } from "node:fs";
import { advance, emptyLedger, isOpen, type DecidedBy, type Event } from "@fairlead/contract";
import type { EventDraft, Ledger } from "@fairlead/contract";
import { historyBodies } from "@fairlead/testing/runtime/write-history.ts";
import { expect, test } from "vitest";
import { projectionVersion, SessionProjection } from "./session-projection.ts";

const adaptersFolder = new URL("../../../adapters/src/", import.meta.url);
const recordings = globSync("*/fixtures/*.events.jsonl", { cwd: adaptersFolder }).map((file) => {
  const lines = readFileSync(new URL(file, adaptersFolder), "utf8").split("\n").filter(Boolean);
  const drafts = lines.map((line) => JSON.parse(line) as EventDraft).filter((draft) => "body" in draft);
  const events = drafts.map((draft, index): Event => ({ ...draft, sequence: index + 1, epoch: 1 }));
  return { file, events };
});

/** The state according to the law of order. */
function stateOf(ledger: Ledger): string {
  if (ledger.over) return "ended";
  if (isOpen(ledger, "pause")) return "paused";
  if (isOpen(ledger, "decision")) return "waiting";
  return isOpen(ledger, "turn") ? "working" : "idle";
}

test("has the state of the ledger after every event of every recording, without a ledger", () => {
  expect(recordings.length).toBeGreaterThan(100);
  const states = new Set<string>();
  for (const { file, events } of recordings) {
    const projection = new SessionProjection();
    let ledger: Ledger = emptyLedger;
    for (const event of events) {
      projection.add(event);
      ({ ledger } = advance(ledger, event.body));
      expect(projection.summary?.state, `${file}, event ${event.sequence}`).toBe(stateOf(ledger));
      states.add(stateOf(ledger));
    }
  }
  expect(states).toEqual(new Set(["ended", "paused", "waiting", "working", "idle"]));
});

test("continues from a row as if it had read all events", () => {
  for (const { file, events } of recordings) {
    const whole = new SessionProjection();
    let continued = new SessionProjection();
    for (const event of events) {
      whole.add(event);
      continued.add(event);
      const row = continued.toRow({ epoch: 1, owner: "o", unfinished: true });
      expect(row, file).toEqual(whole.toRow({ epoch: 1, owner: "o", unfinished: true }));
      if (row !== undefined) continued = SessionProjection.fromRow(row);
    }
  }
});

test("a row does not grow with the number of events", () => {
  const sizeAfter = (texts: number): number => {
    const projection = new SessionProjection();
    for (const [index, body] of historyBodies({ session: "s", texts, state: "working" }).entries()) {
      const common = { id: "1", session: "s", epoch: 1, turn: null, agent: "scripted", model: null, synthetic: false };
      const occurredAt = new Date(index).toISOString();
      projection.add({ ...common, sequence: index + 1, spool: index + 1, occurredAt, body });
    }
    return projection.toRow({ epoch: 1, owner: "o", unfinished: true })?.content.length ?? 0;
  };
  expect(sizeAfter(5000) - sizeAfter(5)).toBeLessThan(10);
});

test("the version says what a row contains", () => {
  const projection = new SessionProjection();
  for (const event of recordings.find(({ file }) => file.includes("approval-allowed"))?.events ?? []) {
    projection.add(event);
    if (projection.openDecisions.length > 0) break;
  }
  const row = projection.toRow({ epoch: 1, owner: "o", unfinished: true });
  const content = JSON.parse(row?.content ?? "{}") as Record<string, object>;
  // If this list changes, raise `projectionVersion`: rows without the new fields must be rebuilt from the journal.
  expect({
    version: projectionVersion,
    fields: Object.keys(content["summary"] ?? {})
      .toSorted()
      .join(" "),
  }).toEqual({
    version: 11,
    fields:
      "agent agentSessionId agentVersion containment continues cost last lastAt lastOutcome lead limits mode model name pauseReason pausedUntil problem protocol " +
      "queued reason room sandbox session since startedAt state title turns waitingFor workspace",
  });
  expect(Object.keys(content).toSorted()).toEqual([
    "activity",
    "decisions",
    "history",
    "queued",
    "summary",
    "turns",
    "usage",
    "withdrawn",
  ]);
});

test("says whether a person may have read another request than the open one", () => {
  const replacesAfter = (...resolvers: readonly DecidedBy["kind"][]): boolean | undefined => {
    let projection = new SessionProjection();
    const common = { id: "1", session: "s", epoch: 1, turn: "t", agent: "scripted", model: null, synthetic: false };
    const request = { type: "decision.requested", decision: "d", kind: "approval", title: "" } as const;
    const bodies: Event["body"][] = [
      ...historyBodies({ session: "s", texts: 1, state: "working" }),
      ...resolvers.flatMap((kind) => [
        request,
        { type: "decision.resolved", decision: "d", outcome: "canceled", by: { kind } } as const,
      ]),
      request,
    ];
    for (const [index, body] of bodies.entries()) {
      const occurredAt = new Date(index).toISOString();
      projection.add({ ...common, sequence: index + 1, spool: index + 1, occurredAt, body });
      const row = projection.toRow({ epoch: 1, owner: "o", unfinished: true });
      if (row !== undefined) projection = SessionProjection.fromRow(row);
    }
    return projection.openDecisions[0]?.replaces;
  };
  expect(replacesAfter()).toBe(false);
  for (const kind of ["agent", "runtime", "unattended"] as const) {
    expect(replacesAfter(kind), kind).toBe(true);
    expect(replacesAfter(kind, "mode"), kind).toBe(true);
    expect(replacesAfter(kind, "person"), kind).toBe(false);
  }
  expect(replacesAfter("person", "mode")).toBe(false);
});
