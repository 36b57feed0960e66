import type { Exit } from "@fairlead/contract";
import type { LaunchedProcess, LaunchedProcessOptions } from "@fairlead/keeper";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { SimulatedAgent } from "./simulated-agent.ts";

/** Connects a launched process with the simulation. */
export interface ProcessBackend {
  /** The process of the keeper that launches. */
  readonly keeperProcess: SimulatedProcess;
  startAgent(options: LaunchedProcessOptions): SimulatedAgent;
  onDelivered(number: number, text: string): void;
}

const killTimeoutMs = 2000;

/** A process of a keeper that runs a simulated agent instead of a program. */
export class SimulatedLaunchedProcess implements LaunchedProcess {
  readonly ended: Promise<Exit>;
  readonly terminal = null;
  readonly #options: LaunchedProcessOptions;
  readonly #backend: ProcessBackend;
  readonly #agent: SimulatedAgent;
  #outputWritten: Promise<void> = Promise.resolve();

  constructor(options: LaunchedProcessOptions, backend: ProcessBackend) {
    this.#options = options;
    this.#backend = backend;
    const onOutput: LaunchedProcessOptions["onOutput"] = (stream, bytes) =>
      (this.#outputWritten = options.onOutput(stream, bytes) ?? Promise.resolve());
    this.#agent = backend.startAgent({ ...options, onOutput });
    this.ended = this.#awaitEnd();
  }

  write(text: string): void {
    if (!this.#agent.isStdinOpen) return;
    this.#backend.onDelivered(this.#options.number, text);
    this.#agent.receive(text);
  }

  closeStdin(): void {
    this.#agent.closeStdin();
  }

  answerNetwork(): void {
    // A simulated agent has no network.
  }

  signal(signal: NodeJS.Signals): void {
    this.#agent.signal(signal);
  }

  async kill(): Promise<void> {
    this.#agent.signal("SIGTERM");
    if (this.#agent.isAlive) await this.#backend.keeperProcess.wait(killTimeoutMs);
    this.#agent.signal("SIGKILL");
  }

  async killAtOnce(): Promise<void> {
    this.#agent.signal("SIGKILL");
  }

  freeze(): void {
    // Only a keeper of a fleet stops its agents.
  }

  thaw(): void {
    // Only a keeper of a fleet stops its agents.
  }

  async #awaitEnd(): Promise<Exit> {
    const exit = await this.#agent.exited;
    this.#options.onExit();
    await this.#outputWritten;
    await this.#backend.keeperProcess.wait(1);
    return exit;
  }
}
