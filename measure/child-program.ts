import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface ChildProgramOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A command that wraps it, such as `taskset -c 1`. */
  readonly wrapper?: readonly string[];
  /** Flags for Node. */
  readonly nodeFlags?: readonly string[];
  /** Arguments passed as they are, instead of the one JSON argument. */
  readonly args?: readonly string[];
}

/** A child process that reports progress by lines. It is killed when disposed. */
export class ChildProgram implements AsyncDisposable {
  readonly ended: Promise<unknown>;
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  /** Its one argument is passed as JSON. */
  constructor(program: URL, argument: unknown, options: ChildProgramOptions = {}) {
    const { env = process.env, wrapper = [], nodeFlags = [], args: programArgs = [JSON.stringify(argument)] } = options;
    const [command, ...wrapperArgs] = [...wrapper, process.execPath];
    const args = [...wrapperArgs, ...nodeFlags, program.pathname, ...programArgs];
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

  /** Returns the next line. Throws if the program ends without one. */
  async readLine(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`${this.#process.spawnargs.slice(1, 2).join(" ")} ended without a word.`);
    return value;
  }

  /** Returns the next line as JSON. */
  async readJson<Told>(): Promise<Told> {
    return JSON.parse(await this.readLine()) as Told;
  }

  writeLine(line: string): void {
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
