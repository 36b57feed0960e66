import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

/** Less than a test may take, so that what it started is still cleaned up. */
const patience = 20_000;

/** A program in a real terminal: what it has written so far, and keys to press. */
export class TerminalForTest implements Disposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<[number | null]>;
  #screen = "";
  #read = 0;
  #news = Promise.withResolvers<void>();

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, "exit") as Promise<[number | null]>;
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      this.#screen += piece;
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    });
  }

  get screen(): string {
    return this.#screen;
  }

  /** Waits until this has been written, after what was waited for before. */
  async sees(words: string): Promise<void> {
    for (let at = -1; at < 0;) {
      const news = this.#news.promise;
      at = this.#screen.indexOf(words, this.#read);
      if (at < 0) await this.#unlessExited(news, words);
      else this.#read = at + words.length;
    }
  }

  press(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  async exitCode(): Promise<number | null> {
    using enough = new Deadline();
    const exited = await Promise.race([this.#exited, enough.passed]);
    if (exited === "waited") throw new Error(`It did not end after:\n${this.#screen}`);
    return exited[0];
  }

  /** Closes the terminal; a program that is still in it is hung up on. */
  [Symbol.dispose](): void {
    this.#child.kill();
  }

  async #unlessExited(news: Promise<void>, words: string): Promise<void> {
    using enough = new Deadline();
    const gone = this.#exited.then(() => "ended" as const);
    const end = await Promise.race([news, gone, enough.passed]);
    if (end !== undefined && !this.#screen.includes(words, this.#read)) {
      throw new Error(`It ${end} without "${words}" after:\n${this.#screen}`);
    }
  }
}

class Deadline implements Disposable {
  readonly #over = new AbortController();
  readonly passed = wait(patience, "waited" as const, { signal: this.#over.signal }).catch(() => "waited" as const);

  [Symbol.dispose](): void {
    this.#over.abort();
  }
}
