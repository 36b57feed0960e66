import { type ChildProcess, spawn } from "node:child_process";
import type { Exit } from "@fairlead/contract";
import { checkProgram } from "./check-program.ts";
import { type Hold, type Launch, streamsOf } from "./hold.ts";
import { killLadder, killTree, type Rung, sweepLadder } from "./process-tree.ts";
import { terminalLeader } from "./terminal.ts";

/** Holds what can be found: the process group, the descendants, and whoever carries the marks. Works everywhere. */
export class DescendantsHold implements Hold {
  readonly child: ChildProcess;
  readonly #marks: readonly string[];
  #killing: Promise<unknown> = Promise.resolve();

  constructor(launch: Launch) {
    const { line, env, marks, terminal } = launch;
    this.#marks = marks;
    if (terminal !== null) checkProgram(line, env);
    const [program = "", ...args] = [...(terminal === null ? [] : terminalLeader), line.program, ...line.args];
    this.child = spawn(program, args, {
      cwd: line.cwd,
      env,
      // Its own group, and out of reach of our terminal; who leads a terminal makes itself a group.
      detached: terminal === null,
      stdio: streamsOf(launch),
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
