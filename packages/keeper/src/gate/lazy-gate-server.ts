import type { Server } from "node:net";
import { forwardedTargets } from "./forwarded-targets.ts";
import type { GateLinkOptions } from "./gate-link.ts";
import type { GateServer } from "./gate-server.ts";
import type { Target } from "./judge-host.ts";

/** What comes with a listening socket: its port, and whether it is for the proxy. */
export type ListenerMessage = { readonly forward: number } | { readonly proxy: number };

/** Loads the server of a gate. One keeper runs per session, and a server for HTTP needs more memory than the rest of a gate. */
export const loadGateServer = (): Promise<typeof import("./gate-server.ts")> => import("./gate-server.ts");

/** The server of a gate, loaded when it gets its first listening socket. */
export class LazyGateServer implements Disposable {
  readonly #options: GateLinkOptions;
  #gate: Promise<GateServer> | null = null;
  #isClosed = false;

  constructor(options: GateLinkOptions) {
    this.#options = options;
  }

  answer(target: Target, isAllowed: boolean): void {
    void this.#gate?.then((gate) => gate.answer(target, isAllowed));
  }

  /** Serves what connects at a listening socket from now on. The caller closes the socket. */
  async serve(message: ListenerMessage, listener: Server): Promise<void> {
    this.#gate ??= loadGateServer().then(({ GateServer: Gate }) => new Gate(this.#options));
    const gate = await this.#gate;
    if (this.#isClosed) return;
    if ("proxy" in message) return gate.serveProxy(listener);
    const { gate: rules, credential } = this.#options;
    const target = forwardedTargets(rules).get(message.forward);
    if (target !== undefined) gate.serveForward(listener, target);
    else if (rules.endpoint !== undefined) gate.serveEndpoint(listener, rules.endpoint, credential ?? "");
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    void this.#gate?.then((gate) => gate[Symbol.dispose]());
  }
}
