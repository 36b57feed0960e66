import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** How a process of a node is started. */
export interface NatsNodeCommand {
  readonly name: string;
  readonly program: string;
  readonly configFile: string;
  readonly logFile: string;
  /** The address of its monitoring, as host and port. */
  readonly monitor: string;
  /** A command that runs the program somewhere else, as in a network namespace. */
  readonly prefix: readonly string[];
}

interface StreamReport {
  readonly name: string;
  readonly cluster?: { readonly leader?: string };
}

/** What `/jsz` of a server says. */
export interface JetStreamReport {
  readonly meta_cluster?: {
    readonly leader?: string;
    readonly cluster_size?: number;
    readonly replicas?: readonly { readonly current?: boolean; readonly offline?: boolean }[];
  };
  readonly account_details?: readonly { readonly stream_detail?: readonly StreamReport[] }[];
}

/** One server of a test cluster. */
export class NatsNode {
  readonly name: string;
  readonly #command: NatsNodeCommand;
  #process: ChildProcess | undefined;

  constructor(command: NatsNodeCommand) {
    this.name = command.name;
    this.#command = command;
  }

  start(): void {
    if (this.isRunning) throw new Error(`${this.name} is running.`);
    const { program, configFile, logFile, prefix } = this.#command;
    const child = startTiedProcess([...prefix, program, "--config", configFile, "--log", logFile]);
    this.#process = child;
  }

  get isRunning(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** The process id of the server. */
  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined || !this.isRunning) throw new Error(`${this.name} is not running.`);
    return pid;
  }

  /** Kills the process, as a lost machine would end it. It also ends a paused one. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || !this.isRunning) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  pause(): void {
    process.kill(this.pid, "SIGSTOP");
  }

  resume(): void {
    process.kill(this.pid, "SIGCONT");
  }

  /** Asks the monitoring of the server. Returns undefined if it does not answer, or says that it is not well. */
  async ask<Answer>(path: string): Promise<Answer | undefined> {
    try {
      const answer = await fetch(`http://${this.#command.monitor}${path}`, { signal: AbortSignal.timeout(1000) });
      const body = await answer.text();
      return answer.ok ? (JSON.parse(body) as Answer) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The last lines that the server logged, for the error of a start that failed. */
  get lastLines(): string {
    try {
      return readFileSync(this.#command.logFile, "utf8").split("\n").slice(-8).join("\n");
    } catch {
      return "";
    }
  }
}

/** Starts a process that the kernel kills when this process dies, in whatever way it dies. */
export function startTiedProcess(command: readonly string[]): ChildProcess {
  const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", ...command], { stdio: ["ignore", "ignore", "inherit"] });
  child.on("error", () => {}); // The caller sees that the process is not running.
  return child;
}
