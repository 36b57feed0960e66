import type { ChildProcess } from "node:child_process";
import { Server } from "node:net";
import { fileURLToPath } from "node:url";
import type { NetworkGate } from "@fairlead/contract";
import type { AdmissionOptions } from "./admission.ts";
import { forwardedTargets } from "./forwarded-targets.ts";
import { gateEnvironment } from "./gate-environment.ts";
import type { GateServer } from "./gate-server.ts";
import type { Target } from "./judge-host.ts";

export interface LeaderLinkOptions extends AdmissionOptions {
  /** The environment of the agent, which gets the variables that lead to the gate. */
  readonly env: Readonly<Record<string, string>>;
  /** The key that the gate inserts in requests to the agent's service. */
  readonly credential?: string | undefined;
}

type LeaderMessage = { readonly forward: number } | { readonly proxy: number };

const leaderFile = fileURLToPath(new URL(`gate-leader.${import.meta.url.split(".").at(-1)}`, import.meta.url));

/** Variables that change how Node runs. The agent gets them when it replaces the leader. */
const isNodeVariable = (name: string): boolean => name.startsWith("NODE_");

/** Returns the environment of the leader. */
export function leaderEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isNodeVariable(name)));
}

/** Returns the command that listens inside and then becomes the command that follows it, whose program is `file`. */
export function leaderCommand(gate: NetworkGate, file: string): string[] {
  const ports = [...forwardedTargets(gate).keys(), ...(gate.endpoint === undefined ? [] : [gate.endpoint.port])];
  return [process.execPath, "--no-warnings", leaderFile, ports.join(","), file];
}

/**
 * The keeper's side of the leader in a sandbox. It receives the listening sockets, starts the gate at them, and only then
 * lets the leader become the agent.
 */
export class LeaderLink implements Disposable {
  readonly #options: LeaderLinkOptions;
  readonly #child: ChildProcess;
  #gate: Promise<GateServer> | null = null;
  #isStarted = false;
  #isReplaced = false;

  constructor(child: ChildProcess, options: LeaderLinkOptions) {
    this.#child = child;
    this.#options = options;
    child.on("message", (message, handle) => {
      if (handle instanceof Server) void this.#receive(message as LeaderMessage, handle);
    });
    // The leader's end of the channel closes when the agent replaces it.
    child.once("disconnect", () => (this.#isReplaced = this.#isStarted));
  }

  /** Whether the agent runs. Before that, a signal would end the leader. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  answer(target: Target, isAllowed: boolean): void {
    void this.#gate?.then((gate) => gate.answer(target, isAllowed));
  }

  /** Closes the gate and all its connections. */
  [Symbol.dispose](): void {
    void this.#gate?.then((gate) => gate[Symbol.dispose]());
  }

  async #receive(message: LeaderMessage, listener: Server): Promise<void> {
    // Loaded on first use: one keeper runs per session, and a server for HTTP needs more memory than the rest of a gate.
    this.#gate ??= import("./gate-server.ts").then(({ GateServer: Gate }) => new Gate(this.#options));
    const gate = await this.#gate;
    if ("forward" in message) {
      const { gate: rules, credential } = this.#options;
      const target = forwardedTargets(rules).get(message.forward);
      if (target !== undefined) gate.serveForward(listener, target);
      else if (rules.endpoint !== undefined) gate.serveEndpoint(listener, rules.endpoint, credential ?? "");
      return;
    }
    gate.serveProxy(listener);
    this.#isStarted = true;
    // A leader that has been killed cannot be told anything. Its exit follows.
    const nodeVariables = Object.entries(this.#options.env).filter(([name]) => isNodeVariable(name));
    const env = { ...Object.fromEntries(nodeVariables), ...gateEnvironment(message.proxy) };
    this.#child.send({ env }, () => {});
  }
}
