import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Exit, LaunchLine } from "@fairlead/contract";
import { killLadder, killTree, sweepLadder } from "./process-tree.ts";

/** How long a grandchild may hold the pipes of a process that has ended, before and after it is told to end too. */
const drainPatience = 500;
const lastDrainPatience = 100;

export interface HeldProcessOptions {
  readonly number: number;
  /** The session's name, for the process to know where it runs. */
  readonly session: string;
  readonly line: LaunchLine;
  readonly heard: (stream: "out" | "err", bytes: Uint8Array) => void;
}

/** One process that a keeper has launched, with everything that it starts. */
export class HeldProcess {
  /** Settles, and never rejects, when the process has ended, all it said was heard and nothing it started is left. */
  readonly ended: Promise<Exit>;
  readonly #child: ChildProcess | null;
  readonly #marks: readonly string[];
  #killing: Promise<unknown> = Promise.resolve();

  constructor(options: HeldProcessOptions) {
    const { line, number } = options;
    const marks = {
      FAIRLEAD_KEEPER: String(process.pid),
      FAIRLEAD_PROCESS: String(number),
      FAIRLEAD_SESSION: options.session,
    };
    this.#marks = Object.entries(marks).map(([name, value]) => `${name}=${value}`);
    try {
      const child = spawn(line.program, line.args, {
        cwd: line.cwd,
        env: { ...line.env, PWD: line.cwd, ...marks },
        detached: true, // its own group, and out of reach of our terminal
        stdio: [line.stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe"],
      });
      child.stdout?.on("data", (bytes: Buffer) => options.heard("out", bytes));
      child.stderr?.on("data", (bytes: Buffer) => options.heard("err", bytes));
      // A broken pipe only says that the process no longer listens; its exit will say the rest.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
      this.#child = child;
      this.ended = this.#awaitEnd(child, line.cwd);
    } catch (error) {
      // Some failures are thrown, others arrive as an event; to the spool they are the same.
      this.#child = null;
      this.ended = Promise.resolve(failed(error));
    }
  }

  say(text: string): void {
    const stdin = this.#child?.stdin;
    if (stdin?.writable === true) stdin.write(text);
  }

  hangup(): void {
    this.#child?.stdin?.end();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Ends the process and everything it started, with patience and then without. */
  async kill(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid !== undefined) {
      this.#killing = Promise.all([this.#killing, killTree({ pid, marks: this.#marks }, killLadder)]);
    }
    await this.ended;
  }

  async #awaitEnd(child: ChildProcess, cwd: string): Promise<Exit> {
    if (child.pid === undefined) {
      const [error] = (await once(child, "error")) as [Error];
      return failed(existsSync(cwd) ? error : new Error(`The folder ${cwd} does not exist.`));
    }
    child.on("error", () => {}); // a signal that could not be sent: the process lives on
    const closed = new Promise<void>((resolve) => void child.once("close", () => resolve()));
    const exit = await new Promise<Exit>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    await settledWithin(closed, drainPatience);
    await this.#killing;
    await killTree({ pid: child.pid, marks: this.#marks }, sweepLadder);
    await settledWithin(closed, lastDrainPatience);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    return exit;
  }
}

function failed(error: unknown): Exit {
  return { code: null, signal: null, error: error instanceof Error ? error.message : String(error) };
}

async function settledWithin(promise: Promise<unknown>, patience: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([promise, delay(patience, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
}
