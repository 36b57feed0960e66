import { FairleadError, type EventDraft } from "@fairlead/contract";
import type { EventLog, EventBatch } from "@fairlead/journal";
import { decodeRecord } from "@fairlead/keeper";
import { expect, test } from "vitest";
import type { Clock } from "./clock.ts";
import { JournalWriter } from "./journal-writer.ts";

const immediateClock: Clock = {
  now: () => 0,
  after(_, callback) {
    const timer = setImmediate(callback);
    return { [Symbol.dispose]: () => clearImmediate(timer) };
  },
};

const draft = {
  id: "s/1.0",
  session: "s",
  turn: null,
  occurredAt: "2026-01-01T00:00:00.000Z",
  agent: "p",
  model: null,
  spool: 1,
  synthetic: false,
  body: { type: "status.reported", level: "info", message: "hello" },
} satisfies EventDraft;

const unavailable = (): FairleadError => new FairleadError("unavailable", "The disk is full.");

/** The log fails at first: before or after it writes the batch, and when its tail is read. */
test.each(["before", "after"] as const)(
  "a batch is appended once if the journal fails at first, %s it has written the batch",
  async (when) => {
    const batches: EventBatch[] = [];
    const failures = { append: 3, tail: 2 };
    const append: EventLog["append"] = async (batch, fence) => {
      if (fence !== BigInt(batches.length)) throw new FairleadError("fenced", "Another owner has appended.");
      const isFailing = (failures.append -= 1) >= 0;
      if (isFailing && when === "before") throw unavailable();
      batches.push(batch);
      if (isFailing) throw unavailable();
      return BigInt(batches.length);
    };
    const tail: EventLog["tail"] = async () => {
      if ((failures.tail -= 1) >= 0) throw unavailable();
      return { epoch: 1, last: batches.length, fence: BigInt(batches.length), owner: "o" };
    };
    const log = { append, tail } as EventLog;
    const writer = new JournalWriter({
      session: "s",
      owner: "o",
      claim: { epoch: 1, fence: 0n, last: 0 },
      log,
      clock: immediateClock,
    });
    const signal = new AbortController().signal;
    expect(await writer.append([draft], signal)).toEqual([{ ...draft, sequence: 1, epoch: 1 }]);
    expect(batches).toHaveLength(1);
    failures.append = 0;
    await writer.append([draft], signal);
    expect([batches.length, writer.lastSequence]).toEqual([2, 2]);
  },
);

/** Notes have no sequence numbers: only the fence shows whether the log has them. */
test.each(["before", "after"] as const)(
  "notes alone are appended once if the journal fails %s it has written them",
  async (when) => {
    const batches: EventBatch[] = [];
    let isFailing = true;
    const append: EventLog["append"] = async (batch, fence) => {
      if (fence !== BigInt(batches.length)) throw new FairleadError("fenced", "Another owner has appended.");
      const fails = isFailing;
      isFailing = false;
      if (fails && when === "before") throw unavailable();
      batches.push(batch);
      if (fails) throw unavailable();
      return BigInt(batches.length);
    };
    const tail: EventLog["tail"] = async () => ({ epoch: 1, last: 0, fence: BigInt(batches.length), owner: "o" });
    const log = { append, tail, carriesNotes: true } as EventLog;
    const claim = { epoch: 1, fence: 0n, last: 0 };
    const writer = new JournalWriter({ session: "s", owner: "o", claim, log, clock: immediateClock });
    const record = { seq: 7, kind: "note", process: 0, at: 0, id: "n", bytes: Buffer.from("{}") } as const;
    const notes = writer.encodeNotes([record, { ...record, seq: 8, kind: "out" }]);
    expect(notes.map((bytes) => decodeRecord(bytes))).toEqual([record]);
    expect(await writer.append([], new AbortController().signal, notes)).toEqual([]);
    expect(batches).toMatchObject([{ first: 1, events: [], notes }]);
    expect(writer.lastSequence).toBe(0);
    await writer.append([draft], new AbortController().signal, notes);
    expect(batches).toMatchObject([{ events: [] }, { first: 1, epoch: 1 }]);
  },
);

/** A log to which a batch comes late: after the tail was read that does not have it. `epoch` is that of the tail then. */
function createLateLog(epoch: number): { readonly log: EventLog; readonly batches: EventBatch[] } {
  const batches: EventBatch[] = [];
  let appends = 0;
  const append: EventLog["append"] = async (batch) => {
    appends += 1;
    if (appends === 1) throw unavailable();
    if (appends === 2) {
      batches.push(batch);
      throw new FairleadError("fenced", "Another batch has this place.");
    }
    batches.push(batch);
    return BigInt(batches.length);
  };
  const tail: EventLog["tail"] = async () => ({
    epoch: batches.length === 0 ? 1 : epoch,
    last: batches.length,
    fence: BigInt(batches.length),
    owner: "o",
  });
  return { log: { append, tail } as EventLog, batches };
}

const claim = { epoch: 1, fence: 0n, last: 0 };

test("a batch that arrives late does not fence its own writer", async () => {
  const { log, batches } = createLateLog(1);
  const writer = new JournalWriter({ session: "s", owner: "o", claim, log, clock: immediateClock });
  const { signal } = new AbortController();
  expect(await writer.append([draft], signal)).toEqual([{ ...draft, sequence: 1, epoch: 1 }]);
  await writer.append([draft], signal);
  expect(batches.map(({ first }) => first)).toEqual([1, 2]);
});

test("a batch that is refused because of another owner is fenced, even if it was sent before", async () => {
  const { log } = createLateLog(2);
  const writer = new JournalWriter({ session: "s", owner: "o", claim, log, clock: immediateClock });
  await expect(writer.append([draft], new AbortController().signal)).rejects.toMatchObject({ code: "fenced" });
});
