import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { FleetProcess } from "../gateway-any/fleet-process.ts";
import { findChildren, TestMachine } from "./test-machine.ts";

export interface FleetMachineOptions {
  /** The beginning of its name. A machine that was lost is replaced by one with another name. */
  readonly name: string;
  readonly fleetFile: string;
  /** The folder for clones of repositories. Each machine has files of its own there. */
  readonly workspaces: string;
  /** The sessions that its host takes. */
  readonly max: number;
  /** More variables for its host; a function of its folder. */
  readonly environment: (folder: string) => NodeJS.ProcessEnv;
  /** Whether its keepers stop and end agents that the host does not attend. A control turns it off. */
  readonly isFreezing: boolean;
  /** Connects its network to the servers. Without it, the machine has the network of this process. */
  readonly connect?: (machine: TestMachine) => Promise<void>;
}

const run = promisify(execFile);

/** A machine of a fleet with a host, which can be lost and replaced by an empty one. */
export class FleetMachine implements AsyncDisposable {
  readonly #options: FleetMachineOptions;
  readonly #errors: string[] = [];
  #replacements = 0;
  #folder = "";
  #machine: TestMachine | undefined;
  #host: FleetProcess | undefined;

  constructor(options: FleetMachineOptions) {
    this.#options = options;
  }

  /** The name that its agents see. */
  get name(): string {
    return `${this.#options.name}${this.#replacements}`;
  }

  /** Errors that its hosts logged. */
  get errors(): readonly string[] {
    return [...this.#errors, ...(this.#host?.errors ?? [])];
  }

  /** The id of its host in the fleet. */
  get host(): string {
    return readFileSync(join(this.#folder, "f", "host-id"), "utf8").trim();
  }

  get machine(): TestMachine {
    if (this.#machine === undefined) throw new Error(`The machine ${this.name} is not running.`);
    return this.#machine;
  }

  /** Starts the machine with an empty disk, and its host. */
  async start(): Promise<void> {
    this.#replacements += 1;
    this.#folder = mkdtempSync(join(tmpdir(), "fm-"));
    const { connect } = this.#options;
    this.#machine = await TestMachine.start({ name: this.name, hasNetwork: connect !== undefined });
    await connect?.(this.#machine);
    const own = join(this.#folder, "workspaces");
    mkdirSync(own);
    const [command = "", ...args] = this.#machine.prefix;
    await run(command, [...args, "mount", "--bind", own, this.#options.workspaces]);
    await this.startHost();
  }

  /** Starts the host again with the data directory that it had. Resolves when it has joined. */
  async startHost(): Promise<void> {
    const { fleetFile, max, workspaces, environment, isFreezing } = this.#options;
    const home = join(this.#folder, "home");
    mkdirSync(home, { recursive: true });
    const args = ["host", "join", "--fleet", fleetFile, "--max", String(max), "--workspaces", workspaces];
    const nodeFlags = isFreezing ? [] : [`--import=${new URL("without-freeze.ts", import.meta.url).pathname}`];
    const own = {
      HOME: home,
      XDG_STATE_HOME: join(home, "state"),
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_DATA_HOME: join(home, "data"),
      XDG_CACHE_HOME: join(home, "cache"),
      FAIRLEAD_HOME: join(this.#folder, "f"),
    };
    const env = { ...process.env, ...own, ...environment(this.#folder) };
    this.#host = await FleetProcess.start(args, env, "host joined", {
      prefix: this.machine.prefix,
      nodeFlags,
    });
  }

  /** Kills the host's process alone. Keepers and agents live. */
  async killHost(): Promise<void> {
    await this.#signalHost("SIGKILL");
  }

  /** Lets the host's process end as it does before an upgrade. */
  async stopHost(): Promise<void> {
    await this.#signalHost("SIGTERM");
  }

  /** Continues all processes after a pause, and the command that entered the machine: it stopped when the host did. */
  resume(): void {
    this.machine.resume();
    if (this.#host !== undefined) process.kill(this.#host.pid, "SIGCONT");
  }

  /** Loses the machine: all processes end at once, and its disk is gone. */
  async lose(): Promise<void> {
    this.#collectErrors();
    // The machine ends when all its processes have, and the command that entered it waits for the host's. After a pause it is
    // stopped itself.
    await Promise.all([this.#machine?.kill(), this.#host?.kill()]);
    this.#machine = undefined;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lose();
  }

  async #signalHost(signal: NodeJS.Signals): Promise<void> {
    const host = this.#host;
    if (host === undefined) throw new Error(`The machine ${this.name} has no host.`);
    // The process of the command that enters the machine waits for the host's.
    const [pid] = findChildren(host.pid);
    if (pid === undefined) throw new Error(`The host of ${this.name} has ended.`);
    process.kill(pid, signal);
    await host.ended;
    this.#collectErrors();
  }

  #collectErrors(): void {
    this.#errors.push(...(this.#host?.errors ?? []));
    this.#host = undefined;
  }
}
