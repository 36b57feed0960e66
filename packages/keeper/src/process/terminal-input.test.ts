import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadStream } from "node:tty";
import { expect, test } from "vitest";
import { TerminalInput } from "./terminal-input.ts";

const chunk = "x".repeat(65_536);

/** A terminal input whose master end is a named pipe: as a terminal, it takes no more when its program does not read. */
class PipedInput implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "fl-"));
  readonly #file = join(this.#folder, "pipe");
  readonly screen = { destroyed: false };
  readonly reader: number;
  #isReaderOpen = true;
  readonly writer: number;
  readonly input: TerminalInput;

  constructor() {
    execFileSync("mkfifo", [this.#file]);
    this.reader = openSync(this.#file, constants.O_RDONLY | constants.O_NONBLOCK);
    this.writer = openSync(this.#file, constants.O_WRONLY | constants.O_NONBLOCK);
    this.input = this.withMaster(this.writer);
  }

  withMaster(master: number): TerminalInput {
    return new TerminalInput(this.screen as ReadStream, master);
  }

  /** Reads what is in the pipe now. */
  read(): string {
    const parts: Buffer[] = [];
    const buffer = Buffer.alloc(65_536);
    for (;;) {
      try {
        const count = readSync(this.reader, buffer);
        if (count === 0) break;
        parts.push(Buffer.from(buffer.subarray(0, count)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
        break;
      }
    }
    return Buffer.concat(parts).toString();
  }

  /** Types until the input is full. Returns what it took. */
  fill(): string {
    let typed = "";
    for (let count = 0; ; count += 1) {
      if (count > 100) throw new Error("The input takes text without a limit.");
      const text = String(count).padStart(6, "0") + chunk.slice(6);
      const outcome = this.input.type(text);
      if (outcome === "full") return typed;
      expect(outcome).toBe("typed");
      typed += text;
    }
  }

  /** From now on, a write fails. */
  closeReader(): void {
    if (this.#isReaderOpen) closeSync(this.reader);
    this.#isReaderOpen = false;
  }

  [Symbol.dispose](): void {
    this.screen.destroyed = true; // ends the attempts of the input
    closeSync(this.writer);
    this.closeReader();
    rmSync(this.#folder, { recursive: true });
  }
}

test("is full at 1 MiB, takes text again after the program has read, and loses none", async () => {
  using pipe = new PipedInput();
  let typed = pipe.fill();
  expect(typed.length).toBeGreaterThan(1024 ** 2);
  expect(typed.length).toBeLessThan(1024 ** 2 + 4 * chunk.length);
  expect(pipe.input.type("x")).toBe("full");
  let received = "";
  const receiveUntil = (condition: () => boolean): Promise<void> =>
    expect.poll(() => ((received += pipe.read()), condition()), { interval: 1, timeout: 10_000 }).toBe(true);
  await receiveUntil(() => pipe.input.type("after") === "typed");
  typed += "after";
  await receiveUntil(() => received.length >= typed.length);
  expect(received === typed).toBe(true);
});

test("is closed with its screen, and writes nothing more to a descriptor that may belong to another file", async () => {
  using pipe = new PipedInput();
  pipe.fill();
  pipe.screen.destroyed = true;
  pipe.read();
  await new Promise((resolve) => setTimeout(resolve, 50)); // several attempts
  expect(pipe.read()).toBe("");
  expect(pipe.input.type("x")).toBe("closed");
  expect(pipe.read()).toBe("");
});

test("is closed if the terminal takes no text because of an error", () => {
  using pipe = new PipedInput();
  const readOnly = pipe.withMaster(pipe.reader);
  expect([readOnly.type("x"), readOnly.type("y")]).toEqual(["closed", "closed"]);
});

test("is closed after a later attempt has failed", async () => {
  using pipe = new PipedInput();
  pipe.fill();
  pipe.closeReader();
  await expect.poll(() => pipe.input.type("x"), { interval: 1 }).toBe("closed");
});
