import { KeeperGone, type KeeperConnection } from "@fairlead/keeper";
import { KeeperProcess } from "./keeper-process-for-test.ts";
import type { Life } from "./life-for-test.ts";
import type { SimulatedAgent } from "./simulated-agent-for-test.ts";
import { isDiskTrouble } from "./virtual-disk-for-test.ts";
import type { World } from "./world-for-test.ts";

/** Something that was written to a process. */
export interface Delivery {
  /** Which keeper it was, and which of the session's processes. */
  readonly keeper: number;
  readonly process: number;
  readonly text: string;
}

/** The machine on which keepers run: at most one at a time, in one session's folder. */
export class KeeperHouse {
  readonly agents: SimulatedAgent[] = [];
  readonly delivered: Delivery[] = [];
  /** The last keeper before the last loss of power: what it and those before it have recorded may be gone. */
  unpowered = 0;
  /** Frames that make no sense, so that no keeper will ever do them. */
  readonly senseless = new Set<string>();
  /** What was recorded as said to an agent that was listening, and did not reach it. */
  readonly unheard: string[] = [];
  readonly #world: World;
  #process: KeeperProcess | null = null;
  #keepers = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** How many there have been. */
  get keepers(): number {
    return this.#keepers;
  }

  get isOccupied(): boolean {
    return this.#process !== null;
  }

  async start(client: Life): Promise<KeeperConnection> {
    await client.wait(this.#world.chance.between(0, 100));
    if (this.#process !== null) throw new KeeperGone("The keeper could not start: another keeper answers.");
    this.#keepers += 1;
    try {
      this.#process = new KeeperProcess(this.#world, this, () => (this.#process = null));
    } catch (error) {
      if (!isDiskTrouble(error)) this.#world.complain(`the keeper could not start: ${String(error)}`);
      throw new KeeperGone("The keeper could not start.", { cause: error });
    }
    this.#world.trace(`a keeper starts, after record ${this.#process.keeper.lastSeq}`);
    return this.connect(client);
  }

  async connect(client: Life): Promise<KeeperConnection> {
    await client.wait(this.#world.chance.between(0, 5));
    if (this.#process === null) throw new KeeperGone();
    return this.#process.connect(client);
  }

  losePower(): void {
    this.unpowered = this.#keepers;
    this.kill();
  }

  /** Ends all connections and nothing else. */
  cut(): void {
    this.#process?.cut();
  }

  /** The keeper dies, and with it what it holds. */
  kill(): void {
    this.#process?.die();
    this.#process = null;
  }
}
