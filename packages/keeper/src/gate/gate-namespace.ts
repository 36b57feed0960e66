import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readlinkSync } from "node:fs";
import { Server, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { keeperNodeFlags } from "../keeper-program.ts";
import type { ListenerMessage } from "./lazy-gate-server.ts";

const holderFile = fileURLToPath(new URL(`namespace-holder.${import.meta.url.split(".").at(-1)}`, import.meta.url));

/** Without capabilities, as an agent, so that the same ports can be used. The user namespace lets an ordinary user enter. */
const holderArguments: readonly string[] =
  "--dev-bind / / --unshare-user --unshare-net --cap-drop ALL --die-with-parent --json-status-fd 3 --".split(" ");

/** What an agent's own bubblewrap needs most. */
const probeArguments: readonly string[] = "--unshare-user --dev-bind / / -- true".split(" ");
const probeTimeoutMs = 5000;

/** Part of every Linux distribution (util-linux). */
const nsenterCandidates: readonly string[] = ["/usr/bin/nsenter", "nsenter"];

type HolderMessage = ListenerMessage | { readonly isListening: true };

/**
 * A network namespace that has only a loopback, with the sockets at which a gate listens there. It is created before a
 * launch needs it, and a launch enters it. No process is needed to keep it: the keeper has it open.
 */
export class GateNamespace implements Disposable {
  /** The port of the proxy. */
  readonly proxyPort: number;
  readonly #holder: ChildProcess;
  readonly #userFd: number;
  readonly #networkFd: number;
  readonly #listeners = new Map<number, Server>();
  #enterCommand: readonly string[] = [];
  /** The ports besides that of the proxy, once they are known. */
  #ports: readonly number[] | null = null;
  #listening: Promise<ReadonlyMap<number, Server>> | null = null;

  private constructor(holder: ChildProcess, pid: number, proxyPort: number, proxy: Server) {
    this.#holder = holder;
    this.proxyPort = proxyPort;
    this.#addListener(proxyPort, proxy);
    this.#userFd = openSync(`/proc/${pid}/ns/user`, "r");
    this.#networkFd = openSync(`/proc/${pid}/ns/net`, "r");
  }

  /** Creates a namespace and checks that it can be entered. `program` is bubblewrap. */
  static async prepare(program: string): Promise<GateNamespace> {
    const holder = spawn(
      program,
      [...holderArguments, process.execPath, ...keeperNodeFlags, "--no-warnings", holderFile],
      { cwd: "/", env: {}, detached: true, stdio: ["ignore", "ignore", "ignore", "pipe", "ipc"] },
    );
    await using resources = new AsyncDisposableStack();
    resources.defer(() => void holder.kill("SIGKILL"));
    const gone = new AbortController();
    for (const event of ["exit", "error"]) holder.once(event, () => gone.abort());
    const { signal } = gone;
    const status = once(holder.stdio[3] ?? holder, "data", { signal });
    const [[chunk], [message, listener]] = (await Promise.all([status, once(holder, "message", { signal })])) as [
      [Buffer],
      [{ readonly proxy: number }, Server],
    ];
    const pid = Number(/"child-pid": *(\d+)/.exec(chunk.toString())?.[1]);
    const namespace = resources.use(new GateNamespace(holder, pid, message.proxy, listener));
    if (readlinkSync(`/proc/${pid}/ns/net`) === readlinkSync("/proc/self/ns/net"))
      throw new Error("It is not separate.");
    await namespace.#findEntry(program);
    resources.move();
    return namespace;
  }

  /** The command that runs bubblewrap, with the arguments that follow it, in this network. Bubblewrap replaces it. */
  get enterCommand(): readonly string[] {
    return this.#enterCommand;
  }

  /** Whether a gate can listen at these ports. Sockets that exist are not removed. */
  hasRoomFor(ports: readonly number[]): boolean {
    if (ports.includes(this.proxyPort)) return false;
    const { connected, exitCode, signalCode } = this.#holder;
    if (this.#ports === null) return connected && exitCode === null && signalCode === null;
    return this.#ports.join() === ports.join();
  }

  /**
   * Returns the sockets of the ports that can be used, and that of the proxy. Nothing waits in the namespace then. Rejects
   * if the sockets could not be created. Later calls have the same result.
   */
  listen(ports: readonly number[]): Promise<ReadonlyMap<number, Server>> {
    this.#ports ??= ports;
    return (this.#listening ??= this.#listen(ports));
  }

  /** Closes the sockets. The namespace ends with its last process. */
  [Symbol.dispose](): void {
    this.#holder.kill("SIGKILL");
    for (const listener of this.#listeners.values()) listener.close();
    closeSync(this.#userFd);
    closeSync(this.#networkFd);
  }

  async #listen(ports: readonly number[]): Promise<ReadonlyMap<number, Server>> {
    const done = Promise.withResolvers<void>();
    this.#holder.on("message", (message: HolderMessage, handle) => {
      if ("forward" in message && handle instanceof Server) this.#addListener(message.forward, handle);
      else if ("isListening" in message) done.resolve();
    });
    this.#holder.once("disconnect", () => done.reject(new Error("The sockets could not be created.")));
    this.#holder.send({ ports }, () => {});
    await done.promise;
    return this.#listeners;
  }

  #addListener(port: number, listener: Server): void {
    this.#listeners.set(port, listener);
    // Between two launches no gate is there. A process that ends may still connect.
    listener.on("connection", (socket: Socket) => {
      if (listener.listenerCount("connection") === 1) socket.destroy();
    });
  }

  /** A kernel or a security module can permit to create a namespace and forbid to enter it. */
  async #findEntry(program: string): Promise<void> {
    // By the keeper's descriptors: a process that inherits them would pass them on to the agent.
    const folder = `/proc/${process.pid}/fd`;
    const options = [
      `--user=${folder}/${this.#userFd}`,
      `--net=${folder}/${this.#networkFd}`,
      "--preserve-credentials",
    ];
    let problem: unknown;
    for (const nsenter of nsenterCandidates) {
      const args = [...options, "--", program];
      try {
        await promisify(execFile)(nsenter, [...args, ...probeArguments], { timeout: probeTimeoutMs });
        this.#enterCommand = [nsenter, ...args];
        return;
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }
}
