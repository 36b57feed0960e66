import assert from "node:assert/strict";
import { commandRules, isOpen, keyedMap } from "@fairlead/contract";
import type { Adapter, EventDraft, EventOf, Note, SpoolRecord } from "@fairlead/contract";
import { SessionReducer } from "@fairlead/reducer";
import type { Reduction } from "@fairlead/reducer";

/** The text that the repeated request has where the first request had a text of its input. */
const marker = "repeated-request-marker";

/**
 * Asserts that a request which repeats the id of an open one is refused. After each line of the agent that requested an
 * approval, the agent sends the line again, with another input. A person then allows what was shown.
 */
export function assertRepeatedRequestsRefused(adapter: Adapter, records: readonly SpoolRecord[]): void {
  const reducer = new SessionReducer(adapter);
  for (const record of splitOutput(records)) {
    const request = findRequest(reducer.reduce(record));
    if (request !== undefined) assertRefused(new SessionReducer(adapter, reducer.state), record, request);
  }
}

function assertRefused(reducer: SessionReducer, record: SpoolRecord, request: EventOf<"decision.requested">): void {
  const line = Buffer.from(record.bytes).toString("utf8");
  const shown = findTexts(request.input).filter((text) => line.includes(JSON.stringify(text)));
  const changedLine = shown.reduce((text, one) => text.replaceAll(JSON.stringify(one), JSON.stringify(marker)), line);
  const repeated = reducer.reduce({ ...record, seq: record.seq + 1, bytes: Buffer.from(changedLine) });
  assert.equal(findRequest(repeated), undefined, "the repeated request was shown as another decision");
  const isStillOpen = isOpen(reducer.state.ledger, "decision", request.decision);
  const allowed = reducer.reduce(answerRecord(record, request.decision));
  const writes = [...writesOf(repeated), ...writesOf(allowed)].join("");
  assert.ok(!writes.includes(marker), "the repeated request's input was allowed");
  // Fairlead runs such a tool itself, with the input that was shown.
  if (request.action?.offered !== undefined) {
    const inputs = keyedMap.values(reducer.state.uses).map(({ input }) => input);
    return assert.deepEqual(inputs, [request.input], "the repeated request's input would run");
  }
  if (!isStillOpen) return assert.ok(writesOf(repeated).length > 0, "the agent got no refusal");
  // The agent cannot tell which of the two requests the answer is for, unless the answer contains the input.
  const hasShownInput = shown.length > 0 && shown.every((text) => writes.includes(JSON.stringify(text)));
  assert.ok(hasShownInput, "an answer without the shown input allowed both requests");
}

/** Splits output into one record per line, so that one record requests at most one decision. */
function splitOutput(records: readonly SpoolRecord[]): SpoolRecord[] {
  const parts = records.flatMap((record) => {
    if (record.kind !== "out") return [record];
    const lines = Buffer.from(record.bytes)
      .toString("utf8")
      .split(/(?<=\n)/);
    return lines.map((line) => ({ ...record, bytes: Buffer.from(line) }));
  });
  return parts.map((record, index) => ({ ...record, seq: 2 * index + 1 }));
}

function answerRecord(record: SpoolRecord, decision: string): SpoolRecord {
  const command = { type: "answer", decision, answer: { type: "allow" }, by: { kind: "person" } } as const;
  const note: Note = { type: "command", command, rules: commandRules };
  return { ...record, seq: record.seq + 2, kind: "note", id: "answer", bytes: Buffer.from(JSON.stringify(note)) };
}

function findRequest({ outputs }: Reduction): EventOf<"decision.requested"> | undefined {
  const drafts = outputs.filter((output): output is EventDraft => "body" in output);
  return drafts
    .map(({ body }) => body)
    .find((body) => body.type === "decision.requested" && body.kind === "approval") as
    | EventOf<"decision.requested">
    | undefined;
}

function writesOf({ pendingEffects }: Reduction): string[] {
  return pendingEffects.flatMap(({ effect }) => (effect.type === "write" ? [effect.text] : []));
}

/** Returns the texts in a JSON value that are long enough to be found in a line. */
function findTexts(value: unknown): string[] {
  if (typeof value === "string") return value.length > 2 ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(findTexts) : [];
}
