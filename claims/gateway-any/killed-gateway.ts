import type { SeededRandom } from "../../measure/seeded-random.ts";
import { ConnectionCutter } from "../daemon/connection-cutter.ts";
import { findStablePort } from "./find-stable-port.ts";
import { FleetProcess } from "./fleet-process.ts";

export interface KilledGatewayOptions {
  readonly fleetFile: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly random: SeededRandom;
}

/** A gateway that is killed and started again on its port, behind a proxy that cuts its connections. */
export class KilledGateway implements AsyncDisposable {
  readonly cutter: ConnectionCutter;
  kills = 0;
  readonly #port: number;
  readonly #options: KilledGatewayOptions;
  readonly #processes: FleetProcess[] = [];

  private constructor(options: KilledGatewayOptions, port: number, cutter: ConnectionCutter) {
    this.#options = options;
    this.#port = port;
    this.cutter = cutter;
  }

  static async start(options: KilledGatewayOptions): Promise<KilledGateway> {
    const port = await findStablePort(options.random);
    const gateway = new KilledGateway(options, port, await ConnectionCutter.openPort(port, options.random));
    await gateway.#run();
    return gateway;
  }

  /** The URL of the gateway through its proxy. */
  get url(): string {
    return `http://127.0.0.1:${this.cutter.port}`;
  }

  /** Errors that its processes logged. */
  get errors(): string[] {
    return this.#processes.flatMap(({ errors }) => errors);
  }

  /** Kills the process with SIGKILL and starts another one. Resolves when that one answers. */
  async replace(): Promise<void> {
    await this.#processes.at(-1)?.kill();
    this.kills += 1;
    await this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cutter[Symbol.asyncDispose]();
    await this.#processes.at(-1)?.kill();
  }

  async #run(): Promise<void> {
    const { fleetFile, environment } = this.#options;
    const addresses = ["--listen", `127.0.0.1:${this.#port}`, "--name", `127.0.0.1:${this.cutter.port}`];
    const args = ["gateway", "--fleet", fleetFile, ...addresses];
    this.#processes.push(await FleetProcess.start(args, environment, "gateway started"));
  }
}
