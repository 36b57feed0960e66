import { type ChildProcess, spawn } from "node:child_process";
import type { Exit } from "@fairlead/contract";
import type { Hold, Launch } from "./hold.ts";
import { killLadder, killTree, type Rung, sweepLadder } from "./process-tree.ts";

/** Holds what can be found: the process group, the descendants, and whoever carries the marks. Works everywhere. */
export class DescendantsHold implements Hold {
  readonly child: ChildProcess;
  readonly #marks: readonly string[];
  #killing: Promise<unknown> = Promise.resolve();

  constructor({ line, env, marks }: Launch) {
    this.#marks = marks;
    this.child = spawn(line.program, line.args, {
      cwd: line.cwd,
      env,
      detached: true, // its own group, and out of reach of our terminal
      stdio: [line.stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe"],
    });
  }

  /** The pipe is the agent's alone, so writing to it tells; but only writing does. */
  isDeaf(): boolean {
    const { stdin, exitCode, signalCode } = this.child;
    return stdin?.errored != null && exitCode === null && signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#killing = Promise.all([this.#killing, this.#climb(killLadder)]);
    await this.#killing;
  }

  async sweep(): Promise<void> {
    await this.#killing;
    await this.#climb(sweepLadder);
  }

  explain(exit: Exit): Exit {
    return exit;
  }

  async #climb(ladder: readonly Rung[]): Promise<void> {
    const { pid } = this.child;
    if (pid !== undefined) await killTree({ pid, marks: this.#marks }, ladder);
  }
}
