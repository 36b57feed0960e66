import { FrameRefused, Keeper, type Ack, type Frame, type KeeperConnection, type Reply } from "@fairlead/keeper";
import { stages, type HeldProcessOptions } from "./held-process-for-test.ts";
import type { KeeperHouse } from "./keeper-house-for-test.ts";
import { Life } from "./life-for-test.ts";
import { Pipe } from "./pipe-for-test.ts";
import { SimulatedAgent } from "./simulated-agent-for-test.ts";
import { SimulatedConnection } from "./simulated-connection-for-test.ts";
import type { World } from "./world-for-test.ts";

interface Client {
  tell(reply: Reply): void;
  /** After all that was said. */
  end(): void;
  /** At once: what is under way may be lost. */
  sever(): void;
}

/** Longer than anything is under way. */
const longest = 500;

/** One keeper: the real one, with simulated clients and agents. */
export class KeeperProcess {
  readonly keeper: Keeper;
  readonly #number: number;
  readonly #world: World;
  readonly #house: KeeperHouse;
  readonly #life: Life;
  readonly #agents: SimulatedAgent[] = [];
  readonly #clients = new Set<Client>();
  #wakePending = false;

  constructor(world: World, house: KeeperHouse, left: () => void) {
    this.#world = world;
    this.#house = house;
    this.#life = new Life(world.time);
    this.#number = house.keepers;
    const name = `${world.seed}-${this.#number}`;
    this.keeper = new Keeper(world.folder, {
      session: () => name,
      containment: { kind: "descendants" },
      disk: world.disk.mount(this.#life),
      segmentBytes: world.segmentBytes,
      appended: () => this.#wake(),
    });
    stages.set(name, {
      life: this.#life,
      launch: (options) => this.#launch(options),
      delivered: (process, text) => void house.delivered.push({ keeper: this.#number, process, text }),
    });
    void this.#life.death.then(() => stages.delete(name));
    void this.keeper.left.then(() => {
      if (!this.#life.alive) return;
      world.trace("the keeper leaves");
      this.#life.end();
      for (const client of this.#clients) client.end();
      left();
    });
  }

  connect(life: Life): KeeperConnection {
    const { time, chance } = this.#world;
    const attending = this.keeper.attend();
    const down = new Pipe<Reply | "end">(time, chance, (reply) =>
      reply === "end" ? connection.end() : connection.hear(reply),
    );
    const up = new Pipe<Frame>(time, chance, (frame) => this.#life.alive && down.put(this.#answer(frame)));
    const hangUp = (): void => {
      if (!this.#clients.delete(client)) return;
      attending[Symbol.dispose]();
      up.cut();
      down.cut();
    };
    const client: Client = {
      tell: (reply) => down.put(reply),
      end: () => down.put("end"),
      sever: () => {
        hangUp();
        time.after(longest, () => connection.end());
      },
    };
    const { since, lastSeq } = this.keeper;
    const hello = { hello: "fairlead-keeper/1", pid: 1, since, lastSeq, features: ["trim"] };
    const connection = new SimulatedConnection(hello, life, { write: (frame) => up.put(frame), hangUp });
    this.#clients.add(client);
    void life.death.then(hangUp);
    return connection;
  }

  cut(): void {
    for (const client of this.#clients) client.sever();
  }

  die(): void {
    this.#life.end();
    for (const agent of this.#agents) agent.vanish();
    this.cut();
  }

  #launch({ number, line, heard }: HeldProcessOptions): SimulatedAgent {
    const { time, chance } = this.#world;
    this.#world.trace(`process ${number} is launched ${line.args.slice(1).join(" ")}`);
    if (this.#agents.some(({ alive }) => alive)) this.#world.complain(`process ${number} is not alone`);
    const printed: HeldProcessOptions["heard"] = (stream, bytes) =>
      this.#life.alive ? heard(stream, bytes) : new Promise(() => {});
    const agent = new SimulatedAgent({ time, chance: chance.fork(), number, line, printed });
    this.#agents.push(agent);
    this.#house.agents.push(agent);
    return agent;
  }

  #answer(frame: Frame): Reply {
    const world = this.#world;
    const delivered = this.#house.delivered.length;
    try {
      const ack = this.#forget(frame, this.keeper.take(frame));
      world.trace(`frame ${frame.do} ${frame.id} is record ${ack.seq}${ack.duplicate ? " already" : ""}`);
      const isHeard = ack.duplicate || this.#house.delivered.length > delivered;
      if (frame.do === "say" && this.#agents.at(-1)?.listening && !isHeard) this.#house.unheard.push(frame.id);
      return ack;
    } catch (error) {
      if (!(error instanceof FrameRefused)) throw error;
      world.trace(`frame ${frame.do} ${frame.id} is refused: ${error.message}`);
      if (error.message.startsWith("There is no such process")) this.#house.senseless.add(frame.id);
      return { error: error.id, message: error.message, passing: error.passing };
    }
  }

  /** A keeper that does not remember what it has done does it again. */
  #forget(frame: Frame, ack: Ack): Ack {
    if (ack.duplicate && this.#world.defect === "keeper-without-memory") {
      this.keeper.take({ ...frame, id: `${frame.id}~${this.keeper.lastSeq}` });
    }
    return ack;
  }

  #wake(): void {
    if (this.#wakePending || !this.#life.alive) return;
    this.#wakePending = true;
    this.#world.time.after(0, () => {
      this.#wakePending = false;
      if (!this.#life.alive) return;
      const synced = this.#world.defect === "keeper-without-sync" ? this.keeper.lastSeq : this.keeper.sync();
      for (const client of this.#clients) {
        client.tell({ seq: this.keeper.lastSeq, ...(synced !== undefined && { synced }) });
      }
    });
  }
}
