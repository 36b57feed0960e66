import type { ChildProcess } from "node:child_process";
import { Server } from "node:net";
import { fileURLToPath } from "node:url";
import type { NetworkGate } from "@fairlead/contract";
import { forwardedPorts } from "./forwarded-targets.ts";
import { gateEnvironment } from "./gate-environment.ts";
import type { GateLink, GateLinkOptions } from "./gate-link.ts";
import type { Target } from "./judge-host.ts";
import { LazyGateServer, type ListenerMessage } from "./lazy-gate-server.ts";

const leaderFile = fileURLToPath(new URL(`gate-leader.${import.meta.url.split(".").at(-1)}`, import.meta.url));

/** Variables that change how Node runs. The agent gets them when it replaces the leader. */
const isNodeVariable = (name: string): boolean => name.startsWith("NODE_");

/** Returns the environment of the leader. */
export function leaderEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isNodeVariable(name)));
}

/** Returns the command that listens inside and then becomes the command that follows it, whose program is `file`. */
export function leaderCommand(gate: NetworkGate, file: string): string[] {
  return [process.execPath, "--no-warnings", leaderFile, forwardedPorts(gate).join(","), file];
}

/**
 * The keeper's side of the leader in a sandbox. It receives the listening sockets, starts the gate at them, and only then
 * lets the leader become the agent.
 */
export class LeaderLink implements GateLink {
  /** The leader starts at once, and waits for the gate itself. */
  readonly opened = Promise.resolve(true);
  readonly #options: GateLinkOptions;
  readonly #child: ChildProcess;
  readonly #server: LazyGateServer;
  readonly #listeners: Server[] = [];
  readonly #onEnd: () => void;
  #isStarted = false;
  #isReplaced = false;

  constructor(child: ChildProcess, options: GateLinkOptions, onEnd: () => void) {
    this.#child = child;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#server = new LazyGateServer(options);
    child.on("message", (message, handle) => {
      if (handle instanceof Server) void this.#receive(message as ListenerMessage, handle);
    });
    // The leader's end of the channel closes when the agent replaces it.
    child.once("disconnect", () => (this.#isReplaced = this.#isStarted));
  }

  get isAgentNext(): boolean {
    return this.#isReplaced;
  }

  answer(target: Target, isAllowed: boolean): void {
    this.#server.answer(target, isAllowed);
  }

  release(): void {
    this.#onEnd();
  }

  [Symbol.dispose](): void {
    this.#server[Symbol.dispose]();
    for (const listener of this.#listeners) listener.close();
  }

  async #receive(message: ListenerMessage, listener: Server): Promise<void> {
    this.#listeners.push(listener);
    await this.#server.serve(message, listener);
    if (!("proxy" in message)) return;
    this.#isStarted = true;
    // A leader that has been killed cannot be told anything. Its exit follows.
    const nodeVariables = Object.entries(this.#options.env).filter(([name]) => isNodeVariable(name));
    const env = { ...Object.fromEntries(nodeVariables), ...gateEnvironment(message.proxy) };
    this.#child.send({ env }, () => {});
  }
}
