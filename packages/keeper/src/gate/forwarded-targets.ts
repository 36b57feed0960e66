import type { NetworkGate } from "@fairlead/contract";
import { parseTarget, type Target } from "./judge-host.ts";

const loopback = "127.0.0.1";

/**
 * Returns the loopback targets of this machine that exist inside at the same ports: those that the user forwards, and the
 * agent's service if it is there. By port.
 */
export function forwardedTargets({ forwards, services }: NetworkGate): ReadonlyMap<number, Target> {
  const local = services.flatMap((service) => {
    const target = parseTarget(service);
    return target !== null && ["localhost", loopback, "::1"].includes(target.host) ? [target] : [];
  });
  return new Map([...forwards.map((port) => ({ host: loopback, port })), ...local].map((one) => [one.port, one]));
}

/** Returns all ports at which a gate listens inside, besides that of the proxy. */
export function forwardedPorts(gate: NetworkGate): number[] {
  return [...forwardedTargets(gate).keys(), ...(gate.endpoint === undefined ? [] : [gate.endpoint.port])];
}
