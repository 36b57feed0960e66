import { setTimeout as delay } from "node:timers/promises";
import { RemoteFairlead } from "@fairlead/client";
import { nodeWire } from "@fairlead/client/node";
import { readAccount } from "./daemon-account.ts";
import type { DaemonPlace } from "./daemon-place.ts";
import { responds } from "./responds.ts";
import { tryToHold } from "./try-to-hold.ts";

/** How long it may take to let go of its sessions. */
const patience = 30_000;

/**
 * Asks the daemon to end, and waits until it has let go of everything; kills one that does not answer, or does not come to
 * its end. Its sessions go on.
 */
export async function endDaemon(place: DaemonPlace): Promise<void> {
  if (await responds(place.socket)) {
    await new RemoteFairlead(nodeWire({ socket: place.socket }), { patience: 0 }).shutdown();
    if (await isFree(place, patience)) return;
  }
  await killDaemon(place);
}

/** Ends the daemon without asking it. That loses nothing: what it drives is found again, as after a crash. */
export async function killDaemon(place: DaemonPlace): Promise<void> {
  // Only who holds the lock leaves an account, so this is the one that holds it.
  const account = readAccount(place.account);
  if (account !== null) process.kill(account.pid, "SIGKILL");
  await isFree(place, Infinity);
}

/** Whether nobody is the daemon of a place any more, within a time. */
async function isFree({ lock }: DaemonPlace, within: number): Promise<boolean> {
  // Not by its process: where nobody collects the dead, it would seem to live for ever.
  for (const deadline = performance.now() + within; performance.now() < deadline;) {
    using free = await tryToHold(lock);
    if (free !== null) return true;
    await delay(20);
  }
  return false;
}
