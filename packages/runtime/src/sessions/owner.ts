import { hostname } from "node:os";
import type { Journal } from "@fairlead/journal";
import { readProcessIdentity, isProcessAlive } from "@fairlead/keeper";
import { readNewestEvent } from "../actor/stored-events.ts";
import { randomId } from "./ids.ts";

/** The owners of this process that have not been released. */
const ownInstances = new Set<string>();

/** Identifies this process as an owner of sessions, so that another process on this machine can check whether it runs. */
export function currentOwner(): string {
  return JSON.stringify({ host: hostname(), ...readProcessIdentity(process.pid) });
}

/** One of several owners in this process. Disposing it releases its sessions to the next owner. */
export class OwnerRegistration implements Disposable {
  readonly #instance = randomId();
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
    if (host !== hostname()) return true;
    if (!isProcessAlive(identity)) return false;
    return identity.pid !== process.pid || instance === undefined || ownInstances.has(instance);
  } catch {
    return false;
  }
}

/** Whether a session has neither ended nor paused, and its owner no longer runs. */
export async function isAbandoned(journal: Journal, session: string): Promise<boolean> {
  const { owner } = await journal.tail(session);
  const last = await readNewestEvent(journal, session);
  const isSettled = last === undefined || ["session.ended", "session.paused"].includes(last.body.type);
  return !isSettled && !isOwnerAlive(owner);
}
