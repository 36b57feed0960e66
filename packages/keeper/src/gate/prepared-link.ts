import { forwardedPorts } from "./forwarded-targets.ts";
import type { GateLink, GateLinkOptions } from "./gate-link.ts";
import type { GateNamespace } from "./gate-namespace.ts";
import type { Target } from "./judge-host.ts";
import { LazyGateServer } from "./lazy-gate-server.ts";
import type { PreparedGates } from "./prepared-gates.ts";

/** A network namespace for a launch, and where it returns to. */
export interface PreparedNetwork {
  readonly namespace: GateNamespace;
  readonly gates: PreparedGates;
}

/** The gate of a process that enters a network namespace of the keeper. */
export class PreparedLink implements GateLink {
  readonly isAgentNext = true;
  readonly opened: Promise<boolean>;
  readonly #network: PreparedNetwork;
  readonly #server: LazyGateServer;
  #isOpen = false;

  constructor(network: PreparedNetwork, options: GateLinkOptions) {
    this.#network = network;
    this.#server = new LazyGateServer(options);
    this.opened = this.#open(forwardedPorts(options.gate));
  }

  answer(target: Target, isAllowed: boolean): void {
    this.#server.answer(target, isAllowed);
  }

  release(): void {
    const { namespace, gates } = this.#network;
    gates.giveBack(namespace, this.#isOpen);
  }

  [Symbol.dispose](): void {
    this.#server[Symbol.dispose]();
  }

  async #open(ports: readonly number[]): Promise<boolean> {
    const { namespace } = this.#network;
    try {
      const listeners = [...(await namespace.listen(ports))];
      const served = listeners.map(([port, listener]) =>
        this.#server.serve(port === namespace.proxyPort ? { proxy: port } : { forward: port }, listener),
      );
      await Promise.all(served);
      this.#isOpen = true;
    } catch {
      // The namespace is damaged, and is not given back.
    }
    return this.#isOpen;
  }
}
