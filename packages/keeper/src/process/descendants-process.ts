import { type ChildProcess, spawn } from "node:child_process";
import type { Exit } from "@fairlead/contract";
import { findProgram } from "./find-program.ts";
import { type ContainedProcess, type LaunchSpec, stdioFor } from "./contained-process.ts";
import { immediateSteps, killSteps, killProcessTree, type KillStep, sweepSteps } from "./kill-process-tree.ts";
import { ProcessFreezer } from "./process-freezer.ts";
import { terminalLeaderCommand } from "./terminal.ts";

/** Finds an agent's processes by process group, descent and environment markers. Works on every system. */
export class DescendantsProcess implements ContainedProcess {
  readonly child: ChildProcess;
  readonly freezer = new ProcessFreezer(() => {
    const { pid, exitCode, signalCode } = this.child;
    // After its exit, another process may have its pid.
    return exitCode === null && signalCode === null ? { pid: pid ?? -1, envMarkers: this.#envMarkers } : null;
  });
  readonly #envMarkers: readonly string[];
  #killing: Promise<unknown> = Promise.resolve();

  constructor(spec: LaunchSpec) {
    const { command, env, envMarkers, terminal } = spec;
    this.#envMarkers = envMarkers;
    if (terminal !== null) findProgram(command, env);
    const [program = "", ...args] = [
      ...(terminal === null ? [] : terminalLeaderCommand),
      command.program,
      ...command.args,
    ];
    this.child = spawn(program, args, {
      cwd: command.cwd,
      env,
      // A process group of its own, detached from the keeper's terminal. A terminal leader creates its own group.
      detached: terminal === null,
      stdio: stdioFor(spec),
    });
  }

  /**
   * Only the agent has the pipe open, so a write fails once the agent has closed it. Without a write it cannot be
   * known.
   */
  isStdinClosed(): boolean {
    const { stdin, exitCode, signalCode } = this.child;
    return stdin?.errored != null && exitCode === null && signalCode === null;
  }

  answerNetwork(): void {
    // Only a sandbox has a gate, and a sandbox needs a namespace.
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async kill(): Promise<void> {
    await this.#killBy(killSteps);
  }

  async killAtOnce(): Promise<void> {
    this.freezer.release();
    await this.#killBy(immediateSteps);
  }

  async sweep(): Promise<void> {
    await this.#killing;
    await this.#killTree(sweepSteps);
  }

  interpretExit(exit: Exit): Exit {
    return exit;
  }

  async #killBy(steps: readonly KillStep[]): Promise<void> {
    this.#killing = Promise.all([this.#killing, this.#killTree(steps)]);
    await this.#killing;
  }

  async #killTree(steps: readonly KillStep[]): Promise<void> {
    const { pid } = this.child;
    if (pid !== undefined) await killProcessTree({ pid, envMarkers: this.#envMarkers }, steps);
  }
}
