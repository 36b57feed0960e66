import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

/** Shorter than the timeout of a test, so that the test can still dispose of what it started. */
const waitTimeout = 20_000;

/** A program in a pseudo-terminal: its output so far, and a way to press keys. */
export class TestTerminal implements Disposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<[number | null]>;
  #screen = "";
  #searchFrom = 0;
  #outputArrived = Promise.withResolvers<void>();

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, "exit") as Promise<[number | null]>;
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      this.#screen += piece;
      this.#outputArrived.resolve();
      this.#outputArrived = Promise.withResolvers();
    });
  }

  get screen(): string {
    return this.#screen;
  }

  /** Waits until the program has written a text, after the text of the previous call. */
  async waitForText(text: string): Promise<void> {
    for (let at = -1; at < 0;) {
      const outputArrived = this.#outputArrived.promise;
      at = this.#screen.indexOf(text, this.#searchFrom);
      if (at < 0) await this.#waitForOutput(outputArrived, text);
      else this.#searchFrom = at + text.length;
    }
  }

  press(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  async exitCode(): Promise<number | null> {
    using deadline = new Deadline();
    const exited = await Promise.race([this.#exited, deadline.expired]);
    if (exited === "timed out") throw new Error(`The program did not exit. Its output:\n${this.#screen}`);
    return exited[0];
  }

  /** Closes the terminal. A program that still runs in it receives SIGHUP. */
  [Symbol.dispose](): void {
    this.#child.kill();
  }

  async #waitForOutput(outputArrived: Promise<void>, text: string): Promise<void> {
    using deadline = new Deadline();
    const exit = this.#exited.then(() => "exited" as const);
    const outcome = await Promise.race([outputArrived, exit, deadline.expired]);
    if (outcome !== undefined && !this.#screen.includes(text, this.#searchFrom)) {
      throw new Error(`The program ${outcome} without writing "${text}". Its output:\n${this.#screen}`);
    }
  }
}

class Deadline implements Disposable {
  readonly #cancellation = new AbortController();
  readonly expired = wait(waitTimeout, "timed out" as const, { signal: this.#cancellation.signal }).catch(
    () => "timed out" as const,
  );

  [Symbol.dispose](): void {
    this.#cancellation.abort();
  }
}
