import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { readProcessIdentity, isProcessAlive } from "@fairlead/keeper";

/** The owners of this process that have not been released. */
const ownInstances = new Set<string>();

/** Identifies this process as an owner of sessions, so that another process on this machine can check whether it runs. */
export function currentOwner(): string {
  return JSON.stringify({ host: hostname(), ...readProcessIdentity(process.pid) });
}

/** One of several owners in this process. Disposing it releases its sessions to the next owner. */
export class OwnerRegistration implements Disposable {
  readonly #instance = randomBytes(9).toString("base64url");
  readonly owner: string;

  constructor() {
    this.owner = JSON.stringify({ ...(JSON.parse(currentOwner()) as object), instance: this.#instance });
    ownInstances.add(this.#instance);
  }

  [Symbol.dispose](): void {
    ownInstances.delete(this.#instance);
  }
}

/** Whether the owner still runs. An owner on another host cannot be checked, so it counts as running. */
export function isOwnerAlive(owner: string): boolean {
  try {
    const parsed = JSON.parse(owner) as { host: string; instance?: string } & Parameters<typeof isProcessAlive>[0];
    const { host, instance, ...identity } = parsed;
    if (typeof host !== "string") return false;
    if (host !== hostname()) return true;
    if (!isProcessAlive(identity)) return false;
    return identity.pid !== process.pid || instance === undefined || ownInstances.has(instance);
  } catch {
    return false;
  }
}

/** Returns the name of an owner's host; undefined for text that is no owner. */
export function hostOf(owner: string): string | undefined {
  try {
    const { host } = JSON.parse(owner) as { readonly host?: unknown };
    return typeof host === "string" ? host : undefined;
  } catch {
    return undefined;
  }
}
