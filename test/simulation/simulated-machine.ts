import { KeeperGone, type KeeperConnection } from "@fairlead/keeper";
import { SimulatedKeeperProcess } from "./simulated-keeper-process.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { SimulatedAgent } from "./simulated-agent.ts";
import { isDiskFailure } from "./virtual-disk.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

/** A text that was written to the stdin of a process. */
export interface Delivery {
  /** The number of the keeper that wrote it. */
  readonly keeper: number;
  /** The number of the process within the session. */
  readonly process: number;
  readonly text: string;
}

/** The machine that runs keepers: at most one at a time, in one session folder. */
export class SimulatedMachine {
  readonly agents: SimulatedAgent[] = [];
  readonly deliveries: Delivery[] = [];
  /** The number of the last keeper before the last loss of power. Records of it and of earlier keepers may be lost. */
  lastKeeperBeforePowerLoss = 0;
  /** Ids of requests for a process that does not exist. No keeper will ever execute them. */
  readonly impossibleRequests = new Set<string>();
  /** Ids of write requests that were recorded but not delivered, although the agent's stdin was open. */
  readonly undelivered: string[] = [];
  readonly #world: SimulatedWorld;
  #keeperProcess: SimulatedKeeperProcess | null = null;
  #keeperCount = 0;

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** The number of keepers started so far. */
  get keeperCount(): number {
    return this.#keeperCount;
  }

  get hasKeeper(): boolean {
    return this.#keeperProcess !== null;
  }

  async start(client: SimulatedProcess): Promise<KeeperConnection> {
    await client.wait(this.#world.random.between(0, 100));
    if (this.#keeperProcess !== null)
      throw new KeeperGone("The keeper could not start: another keeper runs in this folder.");
    this.#keeperCount += 1;
    try {
      this.#keeperProcess = new SimulatedKeeperProcess(this.#world, this, () => (this.#keeperProcess = null));
    } catch (error) {
      if (!isDiskFailure(error)) this.#world.reportViolation(`the keeper could not start: ${String(error)}`);
      throw new KeeperGone("The keeper could not start.", { cause: error });
    }
    this.#world.trace(`a keeper starts, after record ${this.#keeperProcess.keeper.lastSeq}`);
    return this.connect(client);
  }

  async connect(client: SimulatedProcess): Promise<KeeperConnection> {
    await client.wait(this.#world.random.between(0, 5));
    if (this.#keeperProcess === null) throw new KeeperGone();
    return this.#keeperProcess.connect(client);
  }

  losePower(): void {
    this.lastKeeperBeforePowerLoss = this.#keeperCount;
    this.killKeeper();
  }

  /** Closes all connections. */
  disconnectClients(): void {
    this.#keeperProcess?.disconnectClients();
  }

  /** Kills the keeper and with it its agents. */
  killKeeper(): void {
    this.#keeperProcess?.kill();
    this.#keeperProcess = null;
  }
}
