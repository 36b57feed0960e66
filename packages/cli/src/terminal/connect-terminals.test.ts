import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { FairleadError, type TerminalSize } from "@fairlead/contract";
import { expect, test } from "vitest";
import { connectTerminals, type LocalTerminal } from "./connect-terminals.ts";

/** A local and a remote terminal that the test controls. */
class TerminalPair {
  readonly modes: boolean[] = [];
  readonly typed: string[] = [];
  readonly sizes: TerminalSize[] = [];
  /** Replaced by tests. */
  type = async (keys: string): Promise<void> => void this.typed.push(keys);
  readonly remote = new PassThrough({ encoding: "utf8" });
  readonly stdin = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => this.modes.push(on) });
  readonly stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  readonly result = connectTerminals(
    {
      screen: this.remote,
      type: (keys) => this.type(keys),
      resize: async (size) => void this.sizes.push(size),
    },
    { stdin: this.stdin, stdout: this.stdout } as unknown as LocalTerminal,
  );
}

test("copies output to the local terminal and input to the remote one, in whole characters", async () => {
  const terminals = new TerminalPair();
  expect(terminals.modes).toEqual([true]);
  terminals.remote.write("\u001B[1mhello");
  const euro = Buffer.from("€");
  terminals.stdin.write("a\u0003");
  terminals.stdin.write(euro.subarray(0, 1));
  terminals.stdin.write(euro.subarray(1));
  await expect.poll(() => terminals.typed.join("")).toBe("a\u0003€");
  Object.assign(terminals.stdout, { columns: 100, rows: 30 }).emit("resize");
  expect(terminals.sizes).toEqual([{ columns: 100, rows: 30 }]);
  terminals.remote.end();
  expect(await terminals.result).toBe("ended");
  expect(terminals.modes).toEqual([true, false]);
  terminals.stdout.end();
  const shown = await text(terminals.stdout);
  expect(shown.startsWith("\u001B[1mhello\u001B[?1049l")).toBe(true);
});

test.each(["\u001C", "\u001B[92;5u"])(
  "detaches at %j without closing the remote terminal, and drops the input after it",
  async (key) => {
    const terminals = new TerminalPair();
    terminals.stdin.write(`before${key}after`);
    expect(await terminals.result).toBe("detached");
    expect(terminals.typed).toEqual(["before"]);
    terminals.stdin.write("later");
    expect(terminals.stdin.listenerCount("data") + terminals.stdout.listenerCount("resize")).toBe(0);
    expect(terminals.remote.destroyed).toBe(false);
  },
);

const inputFull = (): FairleadError => new FairleadError("input-full", "Not now.");

test("types again, and in order, what the full input of the remote terminal did not take", async () => {
  const terminals = new TerminalPair();
  const { type } = terminals;
  const attempts: string[] = [];
  terminals.type = async (keys) => {
    attempts.push(keys);
    await new Promise(setImmediate);
    if (attempts.length < 3) throw inputFull();
    await type(keys);
  };
  for (const keys of ["one ", "two ", "three"]) {
    terminals.stdin.write(keys);
    await new Promise(setImmediate); // so that each is a text of its own
  }
  await expect.poll(() => terminals.typed.join("")).toBe("one two three");
  expect(attempts.slice(0, 3)).toEqual(["one ", "one ", "one "]);
  terminals.remote.end();
  expect(await terminals.result).toBe("ended");
});

test("detaches while the input of the remote terminal is full, and types nothing after that", async () => {
  const terminals = new TerminalPair();
  let attempts = 0;
  terminals.type = async () => {
    attempts += 1;
    throw inputFull();
  };
  terminals.stdin.write("one");
  await expect.poll(() => attempts).toBeGreaterThan(0);
  terminals.stdin.write("two\u001C");
  expect(await terminals.result).toBe("detached");
  const attemptsBefore = attempts;
  await new Promise((resolve) => setTimeout(resolve, 200)); // several attempts
  expect(attempts).toBe(attemptsBefore);
});

test("does not repeat a text after another error, because it may have been typed", async () => {
  const terminals = new TerminalPair();
  const { type } = terminals;
  terminals.type = async () => {
    terminals.type = type;
    throw new FairleadError("unavailable", "The connection is lost: it may have been typed.");
  };
  terminals.stdin.write("lost");
  await expect.poll(() => terminals.type).toBe(type);
  terminals.stdin.write("next");
  await expect.poll(() => terminals.typed).toEqual(["next"]);
});
