import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { RemoteFairlead } from "@fairlead/client";
import { nodeWire } from "@fairlead/client/node";
import { daemonFlags } from "../../packages/cli/src/daemon/daemon-flags.ts";
import { Child } from "../child.ts";
import type { Ground } from "../ground.ts";
import { built } from "./built.ts";
import type { ServiceOptions } from "./service.ts";

/** As users have it: compiled, and with the flags that it is started with. */
const flags = [...daemonFlags, "--conditions=built"];

/** What of a service a proof may want otherwise. */
export type Special = Pick<ServiceOptions, "limits" | "agent">;

/** A daemon over a ground, in a process of its own, which can be killed and followed by another. */
export class Daemon implements AsyncDisposable {
  readonly socket: string;
  readonly #child: Child;

  private constructor(socket: string, child: Child) {
    this.socket = socket;
    this.#child = child;
  }

  /** Starts the one that users have, as `fairlead up` does; resolves when it answers. */
  static async up(ground: Ground): Promise<Daemon> {
    const env = { ...ground.environment, FAIRLEAD_HOME: ground.home.folder };
    const program = new URL("../../packages/cli/dist/src/main.js", import.meta.url);
    await built();
    const child = new Child(program, null, { env, flags, words: ["up", "--foreground"] });
    return await answering(new Daemon(socketOf(ground), child));
  }

  /** Starts one that is special. */
  static async special(ground: Ground, special: Special): Promise<Daemon> {
    const socket = socketOf(ground);
    mkdirSync(join(ground.home.folder, "daemon"), { recursive: true, mode: 0o700 });
    const options: ServiceOptions = { home: ground.home.folder, socket, ...special };
    await built();
    const program = new URL("service.ts", import.meta.url);
    return await answering(new Daemon(socket, new Child(program, options, { env: ground.environment, flags })));
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** A way to it, or through something that stands in between. */
  reach(socket = this.socket): RemoteFairlead {
    return new RemoteFairlead(nodeWire({ socket }), { patience: 120_000 });
  }

  /** The next line of its log that says this, with what it tells beside it. */
  async logged(message: string): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const line = await this.#child.told<Record<string, unknown>>();
      if (line["msg"] === message) return line;
    }
  }

  /** Ends it as if the power had failed. */
  async kill(): Promise<void> {
    await this.#child.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

const socketOf = ({ home }: Ground): string => join(home.folder, "daemon", "socket");

async function answering(daemon: Daemon): Promise<Daemon> {
  try {
    await daemon.logged("up");
    return daemon;
  } catch (error) {
    await daemon.kill();
    throw error;
  }
}
