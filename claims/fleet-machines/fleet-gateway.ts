import type { SeededRandom } from "../../measure/seeded-random.ts";
import { findStablePort } from "../gateway-any/find-stable-port.ts";
import { FleetProcess } from "../gateway-any/fleet-process.ts";

export interface FleetGatewayOptions {
  readonly fleetFile: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly random: SeededRandom;
}

/** A gateway on a port of its own, which can be replaced by another process. */
export class FleetGateway implements AsyncDisposable {
  readonly url: string;
  readonly #options: FleetGatewayOptions;
  readonly #processes: FleetProcess[] = [];

  private constructor(options: FleetGatewayOptions, port: number) {
    this.#options = options;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(options: FleetGatewayOptions): Promise<FleetGateway> {
    const gateway = new FleetGateway(options, await findStablePort(options.random));
    await gateway.#run();
    return gateway;
  }

  /** Errors that its processes logged. */
  get errors(): string[] {
    return this.#processes.flatMap(({ errors }) => errors);
  }

  /** Stops the process by SIGTERM, and starts another one. Resolves when that one answers. */
  async replace(): Promise<void> {
    const running = this.#processes.at(-1);
    if (running === undefined) throw new Error("The gateway has no process.");
    process.kill(running.pid, "SIGTERM");
    await running.ended;
    await this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processes.at(-1)?.kill();
  }

  async #run(): Promise<void> {
    const { fleetFile, environment } = this.#options;
    const args = ["gateway", "--fleet", fleetFile, "--listen", new URL(this.url).host];
    this.#processes.push(await FleetProcess.start(args, environment, "gateway started"));
  }
}
