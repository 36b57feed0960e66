import { z } from "zod";

/**
 * The address at which a host answers on the bus whatever belongs to its machine: probes of agents, and sessions that it drove
 * last and does not drive now. No session has such an id, because ids have no slash.
 */
export function hostAddress(host: string): string {
  return `host/${host}`;
}

/** The method at a host's address that moves all its sessions to other hosts. */
export const drainMethod = "drain";
/** The method at a host's address that ends a drain, so that the host takes work again. */
export const undoDrainMethod = "undo-drain";
/** The method at a host's address that moves one session to another host. */
export const moveMethod = "move";
export const MoveParams = z.strictObject({ session: z.string() });
