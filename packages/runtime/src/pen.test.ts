import { FairleadError, type Draft } from "@fairlead/contract";
import type { EventLog, Frame } from "@fairlead/journal";
import { expect, test } from "vitest";
import type { Clock } from "./clock.ts";
import { Pen } from "./pen.ts";

const hurried: Clock = {
  now: () => 0,
  after(_, ring) {
    const timer = setImmediate(ring);
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
} satisfies Draft;

const unavailable = (): FairleadError => new FairleadError("unavailable", "The disk is full.");

/** A log that cannot be written at first: before the frame was written, after it was, or when asked for its tail. */
test.each(["before", "after"] as const)(
  "a journal that fails %s it has written is waited out, and written once",
  async (when) => {
    const frames: Frame[] = [];
    const failures = { append: 3, tail: 2 };
    const append: EventLog["append"] = async (frame, fence) => {
      if (fence !== BigInt(frames.length)) throw new FairleadError("fenced", "Somebody else has written.");
      const fails = (failures.append -= 1) >= 0;
      if (fails && when === "before") throw unavailable();
      frames.push(frame);
      if (fails) throw unavailable();
      return BigInt(frames.length);
    };
    const tail: EventLog["tail"] = async () => {
      if ((failures.tail -= 1) >= 0) throw unavailable();
      return { epoch: 1, last: frames.length, fence: BigInt(frames.length), owner: "o" };
    };
    const log = { append, tail } as EventLog;
    const pen = new Pen({ session: "s", owner: "o", claim: { epoch: 1, fence: 0n, last: 0 }, log, clock: hurried });
    const signal = new AbortController().signal;
    expect(await pen.write([draft], signal)).toEqual([{ ...draft, sequence: 1, epoch: 1 }]);
    expect(frames).toHaveLength(1);
    failures.append = 0;
    await pen.write([draft], signal);
    expect([frames.length, pen.last]).toEqual([2, 2]);
  },
);
