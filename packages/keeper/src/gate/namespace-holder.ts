import { passForwards, passProxy } from "./listen-inside.ts";

/**
 * Creates the sockets of a gate before a launch needs them: `node namespace-holder.ts`, in a network namespace of its own.
 * It passes the socket of the proxy to the keeper at once. Those of other ports follow when a launch names them, and then
 * it ends: the keeper keeps the namespace.
 */

interface ListenMessage {
  readonly ports: readonly number[];
}

// The keeper has ended. Its sockets would keep this process alive.
process.on("disconnect", () => process.exit());
process.on("message", ({ ports }: ListenMessage) => {
  void passForwards(ports).then(() => process.send?.({ isListening: true }, () => process.exit()));
});
await passProxy();
