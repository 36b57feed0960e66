import { mkdirSync } from "node:fs";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { daemonNodeFlags } from "../../packages/daemon/src/daemon-command.ts";
import { ChildProgram } from "../../measure/child-program.ts";
import type { TestHome } from "../../measure/test-home.ts";
import { ensureBuilt } from "./built.ts";
import type { ServiceOptions } from "./service.ts";

/** As users have it: compiled, with the daemon's Node flags. */
const nodeFlags = [...daemonNodeFlags, "--conditions=built"];

/** Options of the service that a proof may override. */
export type ServiceOverrides = Pick<ServiceOptions, "limits" | "agent" | "relay" | "hasPage">;

/** A daemon process for a test home, which can be killed and replaced. */
export class DaemonProcess implements AsyncDisposable {
  readonly socket: string;
  /** Where the page is, and a token with all scopes; null for a daemon without a page. */
  page: { readonly url: string; readonly token: string } | null = null;
  readonly #child: ChildProgram;

  private constructor(socket: string, child: ChildProgram) {
    this.socket = socket;
    this.#child = child;
  }

  /** Starts the daemon that users have, as `fairlead up` does. Resolves when it answers. */
  static async start(testHome: TestHome): Promise<DaemonProcess> {
    const env = { ...testHome.environment, FAIRLEAD_HOME: testHome.home.folder };
    const program = new URL("../../packages/cli/dist/src/main.js", import.meta.url);
    await ensureBuilt();
    const child = new ChildProgram(program, null, { env, nodeFlags, args: ["up", "--foreground"] });
    return await waitUntilUp(new DaemonProcess(socketPath(testHome), child));
  }

  /** Starts a daemon with overridden options. */
  static async startWith(testHome: TestHome, overrides: ServiceOverrides): Promise<DaemonProcess> {
    const socket = socketPath(testHome);
    mkdirSync(testHome.home.daemonFolder, { recursive: true, mode: 0o700 });
    const options: ServiceOptions = { home: testHome.home.folder, socket, ...overrides };
    await ensureBuilt();
    const program = new URL("service.ts", import.meta.url);
    return await waitUntilUp(
      new DaemonProcess(socket, new ChildProgram(program, options, { env: testHome.environment, nodeFlags })),
    );
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Connects to it, directly or through another socket. */
  connect(socket = this.socket): RemoteFairlead {
    return new RemoteFairlead(nodeTransport({ socket }), { retryTimeoutMs: 120_000 });
  }

  /** Returns the next log line with this message, with its fields. */
  async waitForLog(message: string): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const line = await this.nextLog();
      if (line["msg"] === message) return line;
    }
  }

  /** Returns the next log line. A daemon whose log is not read blocks when the pipe is full. */
  async nextLog(): Promise<Readonly<Record<string, unknown>>> {
    return await this.#child.readJson<Record<string, unknown>>();
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    await this.#child.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

const socketPath = ({ home }: TestHome): string => home.daemonSocket;

async function waitUntilUp(daemon: DaemonProcess): Promise<DaemonProcess> {
  try {
    const { url, token } = await daemon.waitForLog("daemon started");
    if (typeof url === "string" && typeof token === "string") daemon.page = { url, token };
    return daemon;
  } catch (error) {
    await daemon.kill();
    throw error;
  }
}
