import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { TerminalSize } from "@fairlead/contract";
import { expect, test } from "vitest";
import { connectTerminals, type LocalTerminal } from "./connect-terminals.ts";

/** A local and a remote terminal that the test controls. */
class TerminalPair {
  readonly modes: boolean[] = [];
  readonly typed: string[] = [];
  readonly sizes: TerminalSize[] = [];
  readonly remote = new PassThrough({ encoding: "utf8" });
  readonly stdin = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => this.modes.push(on) });
  readonly stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  readonly result = connectTerminals(
    {
      screen: this.remote,
      type: async (keys) => void this.typed.push(keys),
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
