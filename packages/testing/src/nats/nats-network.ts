import type { NatsAddresses } from "./nats-config.ts";

/** `all`: nothing reaches the node. `peers`: clients reach the node, the other nodes do not. */
export type Cut = "all" | "peers";

/** The network that the nodes of a test cluster use. */
export interface NatsNetwork extends AsyncDisposable {
  /** Where each node listens. */
  readonly addresses: readonly NatsAddresses[];
  /** The command that each node's program is started with. */
  readonly prefixes: readonly (readonly string[])[];
  cut(node: number, cut: Cut): Promise<void>;
  heal(node: number): Promise<void>;
}
