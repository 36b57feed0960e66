import { hostname } from "node:os";
import { identity, isAlive } from "@fairlead/keeper";

/** This process as the owner of sessions, in words that another process on this machine can check. */
export function ownerName(): string {
  return JSON.stringify({ host: hostname(), ...identity(process.pid) });
}

/** Whether the owner is a process that still runs here. An owner on another host is not ours to judge: it counts. */
export function isOwnerAlive(owner: string): boolean {
  try {
    const { host, ...process } = JSON.parse(owner) as { host: string } & Parameters<typeof isAlive>[0];
    return host !== hostname() || isAlive(process);
  } catch {
    return false;
  }
}
