import type { Delta, Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import type { LiveDelta } from "../live-delta.ts";
import { mergeLiveOutput } from "./merge-live-output.ts";

const eventAt = (sequence: number): Event => ({ sequence, body: { type: "turn.started" } }) as unknown as Event;
const delta = (text: string, after: number): LiveDelta => ({ type: "text.delta", text, after });
const describe = (one: Event | Delta): number | string => ("sequence" in one ? one.sequence : one.text);

const fromStart = { after: 0, signal: new AbortController().signal };

/** A source whose items a test adds one at a time. */
class ManualSource<Item> implements AsyncIterable<Item> {
  readonly #stream = new TransformStream<Item, Item>(undefined, { highWaterMark: 100 }, { highWaterMark: 100 });
  readonly #writer = this.#stream.writable.getWriter();

  async add(item: Item): Promise<void> {
    await this.#writer.write(item);
    await new Promise(setImmediate);
  }

  async fail(error: Error): Promise<void> {
    await this.#writer.abort(error);
  }

  async end(): Promise<void> {
    await this.#writer.close();
  }

  [Symbol.asyncIterator](): AsyncIterator<Item> {
    return this.#stream.readable[Symbol.asyncIterator]();
  }
}

test("yields live output after the event that it followed, and drops what comes too late", async () => {
  const events = new ManualSource<Event>();
  const deltas = new ManualSource<Delta>();
  const merged = Array.fromAsync(mergeLiveOutput(events, deltas, fromStart), describe);
  await events.add(eventAt(1));
  await deltas.add(delta("a", 1));
  await deltas.add(delta("b", 1));
  await deltas.add(delta("early", 2));
  await events.add(eventAt(2));
  await deltas.add(delta("late", 1));
  await deltas.add(delta("c", 2));
  await events.add(eventAt(3));
  await events.end();
  expect(await merged).toEqual([1, "a", "b", 2, "early", "c", 3]);
});

test("an error of live output ends it and no event; an error of the events is thrown", async () => {
  const events = new ManualSource<Event>();
  const deltas = new ManualSource<Delta>();
  const seen: (number | string)[] = [];
  const merging = (async () => {
    for await (const one of mergeLiveOutput(events, deltas, fromStart)) seen.push(describe(one));
  })();
  await deltas.fail(new Error("live"));
  await events.add(eventAt(1));
  await events.fail(new Error("events"));
  await expect(merging).rejects.toThrow("events");
  expect(seen).toEqual([1]);
});

test("live output does not have the fields of its transport", async () => {
  const events = new ManualSource<Event>();
  const deltas = new ManualSource<Delta>();
  const merged = Array.fromAsync(mergeLiveOutput(events, deltas, fromStart));
  await events.add(eventAt(1));
  await deltas.add({ ...delta("a", 1), parent: "p" });
  await events.end();
  expect((await merged)[1]).toEqual({ type: "text.delta", text: "a", parent: "p" });
});

test("a follower that has all events gets the live output after the last one", async () => {
  const events = new ManualSource<Event>();
  const deltas = new ManualSource<Delta>();
  const merged = Array.fromAsync(mergeLiveOutput(events, deltas, { ...fromStart, after: 7 }), describe);
  await deltas.add(delta("a", 7));
  await deltas.add(delta("b", 7));
  await events.add(eventAt(8));
  await events.end();
  expect(await merged).toEqual(["a", "b", 8]);
});

test("the screen of a terminal is not dropped, because no event has it", async () => {
  const events = new ManualSource<Event>();
  const deltas = new ManualSource<Delta>();
  const merged = Array.fromAsync(mergeLiveOutput(events, deltas, fromStart), describe);
  await events.add(eventAt(1));
  await events.add(eventAt(2));
  await deltas.add({ ...delta("late", 1), type: "screen" });
  await events.end();
  expect(await merged).toEqual([1, 2, "late"]);
});

test("reads no more events than a slow reader takes, and ends both sources after it", async () => {
  let read = 0;
  const ended: string[] = [];
  async function* readHistory(): AsyncGenerator<Event> {
    try {
      while (read < 1000) yield eventAt(++read);
    } finally {
      ended.push("events");
    }
  }
  async function* readDeltas(): AsyncGenerator<Delta> {
    try {
      yield delta("a", 1);
      yield delta("b", 2);
    } finally {
      ended.push("deltas");
    }
  }
  for await (const _ of mergeLiveOutput(readHistory(), readDeltas(), fromStart)) {
    await new Promise(setImmediate);
    expect(read).toBeLessThan(5);
    if (read === 3) break;
  }
  await new Promise(setImmediate);
  expect(ended.toSorted()).toEqual(["deltas", "events"]);
});
