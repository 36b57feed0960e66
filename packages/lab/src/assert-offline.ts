import { networkInterfaces } from "node:os";

/** Throws unless loopback is the only network there is. */
export function assertOffline(): void {
  const outward = Object.entries(networkInterfaces())
    .filter(([, addresses]) => addresses?.some((address) => !address.internal))
    .map(([name]) => name);
  if (outward.length === 0) return;
  throw new Error(`This must run without a network, but there is ${outward.join(", ")}. Run it with scripts/offline.`);
}
