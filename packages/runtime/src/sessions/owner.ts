import { hostname } from "node:os";
import { readProcessIdentity, isProcessAlive } from "@fairlead/keeper";

/** Identifies this process as an owner of sessions, so that another process on this machine can check whether it runs. */
export function currentOwner(): string {
  return JSON.stringify({ host: hostname(), ...readProcessIdentity(process.pid) });
}

/** Whether the owner still runs. An owner on another host cannot be checked, so it counts as running. */
export function isOwnerAlive(owner: string): boolean {
  try {
    const { host, ...process } = JSON.parse(owner) as { host: string } & Parameters<typeof isProcessAlive>[0];
    return host !== hostname() || isProcessAlive(process);
  } catch {
    return false;
  }
}
