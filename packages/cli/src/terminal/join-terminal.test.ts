import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { TerminalSize } from "@fairlead/contract";
import { expect, test } from "vitest";
import { joinTerminal, type NearTerminal } from "./join-terminal.ts";

/** A person's terminal and a far one, both in our hands. */
class Desk {
  readonly modes: boolean[] = [];
  readonly typed: string[] = [];
  readonly sizes: TerminalSize[] = [];
  readonly far = new PassThrough({ encoding: "utf8" });
  readonly stdin = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => this.modes.push(on) });
  readonly stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  readonly left = joinTerminal(
    {
      screen: this.far,
      type: async (keys) => void this.typed.push(keys),
      resize: async (size) => void this.sizes.push(size),
    },
    { stdin: this.stdin, stdout: this.stdout } as unknown as NearTerminal,
  );
}

test("what is shown there is shown here, and what is typed here is typed there, in whole characters", async () => {
  const desk = new Desk();
  expect(desk.modes).toEqual([true]);
  desk.far.write("\u001B[1mhello");
  const euro = Buffer.from("€");
  desk.stdin.write("a\u0003");
  desk.stdin.write(euro.subarray(0, 1));
  desk.stdin.write(euro.subarray(1));
  await expect.poll(() => desk.typed.join("")).toBe("a\u0003€");
  Object.assign(desk.stdout, { columns: 100, rows: 30 }).emit("resize");
  expect(desk.sizes).toEqual([{ columns: 100, rows: 30 }]);
  desk.far.end();
  expect(await desk.left).toBe("ended");
  expect(desk.modes).toEqual([true, false]);
  desk.stdout.end();
  const shown = await text(desk.stdout);
  expect(shown.startsWith("\u001B[1mhello\u001B[?1049l")).toBe(true);
});

test.each(["\u001C", "\u001B[92;5u"])(
  "%j leaves the far terminal as it is; what comes after it is not typed",
  async (key) => {
    const desk = new Desk();
    desk.stdin.write(`before${key}after`);
    expect(await desk.left).toBe("detached");
    expect(desk.typed).toEqual(["before"]);
    desk.stdin.write("later");
    expect(desk.stdin.listenerCount("data") + desk.stdout.listenerCount("resize")).toBe(0);
    expect(desk.far.destroyed).toBe(false);
  },
);
