import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A command that runs it, as `taskset -c 1`. */
  readonly under?: readonly string[];
  /** How node is started. */
  readonly flags?: readonly string[];
  /** What it is told as it stands, instead of the one argument. */
  readonly words?: readonly string[];
}

/** A program of ours in a process of its own, which says by lines how far it is. It is killed when disposed of. */
export class Child implements AsyncDisposable {
  readonly ended: Promise<unknown>;
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  /** Its one argument is handed over as JSON. */
  constructor(program: URL, argument: unknown, options: ChildOptions = {}) {
    const { env = process.env, under = [], flags = [], words = [JSON.stringify(argument)] } = options;
    const [command, ...before] = [...under, process.execPath];
    const args = [...before, ...flags, program.pathname, ...words];
    const child = spawn(command, args, { env: { ...env }, stdio: ["pipe", "pipe", "inherit"] });
    this.#process = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    this.ended = once(child, "close");
  }

  get pid(): number {
    const { pid } = this.#process;
    if (pid === undefined) throw new Error("It could not be started.");
    return pid;
  }

  /** The next line; it throws when it ends without one. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`${this.#process.spawnargs.slice(1, 2).join(" ")} ended without a word.`);
    return value;
  }

  /** The next line, as JSON. */
  async told<Told>(): Promise<Told> {
    return JSON.parse(await this.line()) as Told;
  }

  say(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
