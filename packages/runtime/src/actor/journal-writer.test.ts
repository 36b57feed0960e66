import { FairleadError, type EventDraft } from "@fairlead/contract";
import type { EventLog, EventBatch } from "@fairlead/journal";
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
