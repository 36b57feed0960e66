import type { Target } from "../gate/judge-host.ts";
import type { LaunchedProcess } from "./launched-process.ts";

/** The processes of a keeper that have not ended, by their numbers. */
export class RunningProcesses {
  readonly #processes = new Map<number, LaunchedProcess>();

  get size(): number {
    return this.#processes.size;
  }

  get(number: number): LaunchedProcess | undefined {
    return this.#processes.get(number);
  }

  add(number: number, launched: LaunchedProcess): void {
    this.#processes.set(number, launched);
  }

  remove(number: number): void {
    this.#processes.delete(number);
  }

  answerNetwork(target: Target, isAllowed: boolean): void {
    for (const launched of this.#processes.values()) launched.answerNetwork(target, isAllowed);
  }

  /** Closes the stdin of each process after a call with its number. */
  closeStdin(beforeClose: (number: number) => void): void {
    for (const [number, launched] of this.#processes) {
      beforeClose(number);
      launched.closeStdin();
    }
  }

  /** Stops all processes and everything they started. Does nothing to those that are stopped. */
  freeze(): void {
    for (const launched of this.#processes.values()) launched.freeze();
  }

  /** Continues what `freeze` has stopped. */
  thaw(): void {
    for (const launched of this.#processes.values()) launched.thaw();
  }

  /** Ends all processes and everything they started: SIGTERM, then SIGKILL. */
  async kill(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((launched) => launched.kill()));
  }

  /** Ends all processes and everything they started by SIGKILL. */
  async killAtOnce(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((launched) => launched.killAtOnce()));
  }
}
