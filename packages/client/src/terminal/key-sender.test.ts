import { FairleadError } from "@fairlead/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { KeySender, type LostKeys } from "./key-sender.ts";
import { splitKeys } from "./split-keys.ts";

/** A terminal of another process whose requests the test answers. */
class SlowTerminal {
  readonly requests: string[] = [];
  readonly lost: LostKeys[] = [];
  pending = 0;
  readonly closing = new AbortController();
  #answer: PromiseWithResolvers<void> | undefined;
  readonly keys = new KeySender({
    type: async (text) => {
      if (this.#answer !== undefined) throw new Error("There is another request.");
      this.requests.push(text);
      this.#answer = Promise.withResolvers();
      try {
        await this.#answer.promise;
      } finally {
        this.#answer = undefined;
      }
    },
    signal: this.closing.signal,
    onLost: (lost) => this.lost.push(lost),
    onPending: (count) => (this.pending = count),
  });

  async accept(): Promise<void> {
    this.#answer?.resolve();
    await new Promise(setImmediate);
  }

  async refuse(code: "input-full" | "unavailable"): Promise<void> {
    this.#answer?.reject(new FairleadError(code, "Not now."));
    await new Promise(setImmediate);
  }
}

test("sends what was typed during a request in one request, in order", async () => {
  const terminal = new SlowTerminal();
  const { keys } = terminal;
  for (const key of "abcdef") keys.send(key);
  expect([terminal.requests, terminal.pending]).toEqual([["a"], 6]);
  await terminal.accept();
  expect(terminal.requests).toEqual(["a", "bcdef"]);
  await terminal.accept();
  expect(terminal.pending).toBe(0);
});

test("reports what may have been typed, and what was not sent, and sends neither", async () => {
  const terminal = new SlowTerminal();
  const { keys } = terminal;
  for (const key of ["rm", " x", "\r"]) keys.send(key);
  await terminal.refuse("unavailable");
  expect(terminal.lost).toMatchObject([{ uncertain: "rm", unsent: " x\r", error: { code: "unavailable" } }]);
  expect([terminal.requests, terminal.pending]).toEqual([["rm"], 0]);
  keys.send("later");
  expect(terminal.requests).toEqual(["rm", "later"]);
});

test("sends a text again for which the input had no space, before the texts that were typed meanwhile", async () => {
  const terminal = new SlowTerminal();
  const { keys } = terminal;
  keys.send("one ");
  keys.send("two");
  await terminal.refuse("input-full");
  await expect.poll(() => terminal.requests).toEqual(["one ", "one "]);
  await terminal.accept();
  expect(terminal.requests).toEqual(["one ", "one ", "two"]);
  expect(terminal.lost).toEqual([]);
});

test("sends nothing more after the signal", async () => {
  const terminal = new SlowTerminal();
  const { keys } = terminal;
  keys.send("a");
  keys.send("b");
  terminal.closing.abort();
  await terminal.accept();
  expect(terminal.requests).toEqual(["a"]);
});

test("splits a paste into texts of a limited size", async () => {
  const terminal = new SlowTerminal();
  const { keys } = terminal;
  const paste = "😀".repeat(100_000);
  keys.send(paste);
  while (terminal.pending > 0) await terminal.accept();
  expect(terminal.requests.join("")).toBe(paste);
  expect(terminal.requests.every((text) => text.length <= 65_536 && text.isWellFormed())).toBe(true);
});

test("splits between characters, and loses none", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 9 }), (text, length) => {
      const [first, rest] = splitKeys(text, length);
      expect(first + rest).toBe(text);
      expect(first.length).toBeLessThanOrEqual(length);
      expect(first.isWellFormed() && rest.isWellFormed()).toBe(true);
      expect(text === "" || first !== "").toBe(true);
    }),
  );
});
