import type { CommandOptions, Fairlead, SessionView, Start } from "@fairlead/api";
import { RemoteFairlead, type Wire } from "@fairlead/client";
import { nodeWire } from "@fairlead/client/node";
import { chosenHere, type Chooser } from "./daemon/chosen-here.ts";
import { daemonAt } from "./daemon/daemon-at.ts";
import { readAccount } from "./daemon/daemon-account.ts";
import { daemonPlace } from "./daemon/daemon-place.ts";
import { reachDaemon } from "./daemon/reach-daemon.ts";
import { revivingWire } from "./daemon/reviving-wire.ts";
import type { Surroundings } from "./surroundings.ts";

/** Fairlead for one command: at the daemon, which is started if need be; in this process with `FAIRLEAD_DAEMON=off`. */
export async function openFairlead(surroundings: Surroundings): Promise<Fairlead & AsyncDisposable> {
  if (surroundings.environment["FAIRLEAD_DAEMON"] === "off") {
    const { openLocal } = await import("./open-local.ts");
    const fairlead = await openLocal(surroundings);
    await fairlead.recovered; // what a daemon has done long before anybody asks
    return fairlead;
  }
  await reachDaemon(surroundings);
  const place = daemonPlace(surroundings.home);
  const revive = async (): Promise<void> => {
    // One that ended in order was asked to; only one that was killed has left its account behind.
    if ((await daemonAt(place)) === null && readAccount(place.account) !== null) await reachDaemon(surroundings);
  };
  return new DaemonFairlead(revivingWire(nodeWire({ socket: place.socket }), revive), surroundings);
}

class DaemonFairlead extends RemoteFairlead implements AsyncDisposable {
  readonly #chooser: Chooser;

  constructor(wire: Wire, chooser: Chooser) {
    super(wire);
    this.#chooser = chooser;
  }

  override async start(order: Start, options?: CommandOptions): Promise<SessionView> {
    return await super.start(await chosenHere(order, this.#chooser), options);
  }

  /** Connections that rest keep nobody from ending. */
  async [Symbol.asyncDispose](): Promise<void> {}
}
