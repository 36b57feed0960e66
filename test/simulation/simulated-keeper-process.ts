import {
  RequestRejected,
  Keeper,
  type KeeperAck,
  type KeeperHello,
  type KeeperRequest,
  type KeeperConnection,
  type KeeperReply,
  type LaunchedProcess,
  type LaunchedProcessOptions,
} from "@fairlead/keeper";
import { SimulatedLaunchedProcess } from "./simulated-launched-process.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import { SimulatedPipe } from "./simulated-pipe.ts";
import { SimulatedAgent } from "./simulated-agent.ts";
import { SimulatedConnection } from "./simulated-connection.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

interface Client {
  send(reply: KeeperReply): void;
  /** Closes the connection after all messages. */
  end(): void;
  /** Closes the connection at once: messages in transit may be lost. */
  disconnect(): void;
}

/** Longer than any message is in transit. */
const maxTransitTime = 500;

/** The process of one keeper: the real `Keeper` with simulated time, disk, clients and agents. */
export class SimulatedKeeperProcess {
  readonly keeper: Keeper;
  readonly #number: number;
  readonly #world: SimulatedWorld;
  readonly #machine: SimulatedMachine;
  readonly #process: SimulatedProcess;
  readonly #agents: SimulatedAgent[] = [];
  readonly #clients = new Set<Client>();
  #wakePending = false;

  constructor(world: SimulatedWorld, machine: SimulatedMachine, onExit: () => void) {
    this.#world = world;
    this.#machine = machine;
    this.#process = new SimulatedProcess(world.time);
    this.#number = machine.keeperCount;
    this.keeper = new Keeper(world.folder, {
      sessionName: () => world.session,
      containment: { kind: "descendants" },
      disk: world.disk.mount(this.#process),
      segmentBytes: world.segmentBytes,
      clock: this.#process.clock,
      launchProcess: (options) => this.#launch(options),
      onAppend: () => this.#scheduleWake(),
    });
    void this.keeper.whenLeft.then(() => {
      if (!this.#process.isAlive) return;
      world.trace("the keeper leaves");
      this.#process.end();
      for (const client of this.#clients) client.end();
      onExit();
    });
  }

  connect(clientProcess: SimulatedProcess): KeeperConnection {
    const { time, random } = this.#world;
    const lease = this.keeper.acquireLease();
    const down = new SimulatedPipe<KeeperReply | "end">(time, random, (reply) =>
      reply === "end" ? connection.end() : connection.receive(reply),
    );
    const up = new SimulatedPipe<KeeperRequest>(
      time,
      random,
      (request) => this.#process.isAlive && down.put(this.#handleRequest(request)),
    );
    const close = (): void => {
      if (!this.#clients.delete(client)) return;
      lease[Symbol.dispose]();
      up.cut();
      down.cut();
    };
    const client: Client = {
      send: (reply) => down.put(reply),
      end: () => down.put("end"),
      disconnect: () => {
        close();
        time.after(maxTransitTime, () => connection.end());
      },
    };
    const { startSeq, lastSeq } = this.keeper;
    const hello: KeeperHello = { hello: "fairlead-keeper/1", pid: 1, startSeq, lastSeq, features: ["trim"] };
    const connection = new SimulatedConnection(hello, clientProcess, { write: (request) => up.put(request), close });
    this.#clients.add(client);
    void clientProcess.exited.then(close);
    return connection;
  }

  disconnectClients(): void {
    for (const client of this.#clients) client.disconnect();
  }

  kill(): void {
    this.#process.end();
    for (const agent of this.#agents) agent.exitUnobserved();
    this.disconnectClients();
  }

  #launch(launch: LaunchedProcessOptions): LaunchedProcess {
    return new SimulatedLaunchedProcess(launch, {
      keeperProcess: this.#process,
      startAgent: (options) => this.#startAgent(options),
      onDelivered: (process, text) => void this.#machine.deliveries.push({ keeper: this.#number, process, text }),
    });
  }

  #startAgent({ number, command, onOutput: forwardOutput }: LaunchedProcessOptions): SimulatedAgent {
    const { time, random } = this.#world;
    this.#world.trace(`process ${number} is launched ${command.args.slice(1).join(" ")}`);
    if (this.#agents.some(({ isAlive }) => isAlive))
      this.#world.reportViolation(`process ${number} was launched while another one runs`);
    const onOutput: LaunchedProcessOptions["onOutput"] = (stream, bytes) =>
      this.#process.isAlive ? forwardOutput(stream, bytes) : new Promise(() => {});
    const agent = new SimulatedAgent({ time, random: random.fork(), number, command, onOutput });
    this.#agents.push(agent);
    this.#machine.agents.push(agent);
    return agent;
  }

  #handleRequest(request: KeeperRequest): KeeperReply {
    const world = this.#world;
    const deliveredBefore = this.#machine.deliveries.length;
    try {
      const ack = this.#applyMemoryDefect(request, this.keeper.handle(request));
      world.trace(`request ${request.do} ${request.id} is record ${ack.seq}${ack.duplicate ? " (duplicate)" : ""}`);
      const isDelivered = ack.duplicate || this.#machine.deliveries.length > deliveredBefore;
      if (request.do === "write" && this.#agents.at(-1)?.isStdinOpen && !isDelivered)
        this.#machine.undelivered.push(request.id);
      return ack;
    } catch (error) {
      if (!(error instanceof RequestRejected)) throw error;
      world.trace(`request ${request.do} ${request.id} is rejected: ${error.message}`);
      if (/^(No process has been launched|There is no process)/.test(error.message))
        this.#machine.impossibleRequests.add(request.id);
      return { error: error.id, message: error.message, retryable: error.retryable };
    }
  }

  /** With the defect `keeper-without-memory`, executes a duplicate request again. */
  #applyMemoryDefect(request: KeeperRequest, ack: KeeperAck): KeeperAck {
    if (ack.duplicate && this.#world.defect === "keeper-without-memory") {
      this.keeper.handle({ ...request, id: `${request.id}~${this.keeper.lastSeq}` });
    }
    return ack;
  }

  #scheduleWake(): void {
    if (this.#wakePending || !this.#process.isAlive) return;
    this.#wakePending = true;
    this.#world.time.after(0, () => {
      this.#wakePending = false;
      if (!this.#process.isAlive) return;
      const synced = this.#world.defect === "keeper-without-sync" ? this.keeper.lastSeq : this.keeper.sync();
      for (const client of this.#clients) {
        client.send({ seq: this.keeper.lastSeq, ...(synced !== undefined && { synced }) });
      }
    });
  }
}
