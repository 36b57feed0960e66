import { setTimeout as delay } from "node:timers/promises";
import { RemoteFairlead } from "@fairlead/client";
import { nodeWire } from "@fairlead/client/node";
import type { DaemonPlace } from "./daemon-place.ts";
import { tryToHold } from "./try-to-hold.ts";

/** Asks the daemon to end, and waits until it has let go of everything. Its sessions go on. */
export async function endDaemon({ socket, lock }: DaemonPlace): Promise<void> {
  await new RemoteFairlead(nodeWire({ socket }), { patience: 0 }).shutdown();
  // Not by its process: where nobody collects the dead, it would seem to live for ever.
  for (;;) {
    using free = await tryToHold(lock);
    if (free !== null) return;
    await delay(20);
  }
}
