import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Surroundings } from "../surroundings.ts";
import { versionOf } from "../version.ts";
import { readAccount, type DaemonAccount } from "./daemon-account.ts";
import { daemonAt } from "./daemon-at.ts";
import { daemonPlace } from "./daemon-place.ts";
import { endDaemon } from "./end-daemon.ts";
import { responds } from "./responds.ts";
import { startDaemon } from "./start-daemon.ts";
import { tryToHold } from "./try-to-hold.ts";

/** The interface that this command speaks. */
const api = "fairlead/1";

/**
 * Has a daemon that answers and is not older than this command: the one that is there, or one that is started now.
 * However many ask at the same moment, one starts it and the others wait for that.
 */
export async function reachDaemon(surroundings: Surroundings, listen: string | null = null): Promise<DaemonAccount> {
  const place = daemonPlace(surroundings.home);
  const version = versionOf(surroundings.environment);
  const isNewEnough = (found: DaemonAccount | null): found is DaemonAccount =>
    found !== null && found.version.localeCompare(version, "en", { numeric: true }) >= 0;
  let found = await daemonAt(place);
  while (!isNewEnough(found)) {
    using starting = await tryToHold(place.starting);
    if (starting === null) await delay(20);
    else if (!isNewEnough((found = await daemonAt(place)))) {
      // What a replaced or killed one was told still holds.
      const told = listen ?? readAccount(place.account)?.listen ?? null;
      if (found !== null) await endDaemon(place);
      await startDaemon(place, surroundings.environment, told);
    }
    found = await daemonAt(place);
  }
  if (!(await responds(place.socket))) throw unresponsive(found);
  if (found.api === api) return found;
  const message = `The daemon (${found.version}) no longer speaks to a command as old as this one (${version}).`;
  throw new FairleadError("unavailable", `${message} \`fairlead down\` ends it.`);
}

/** The daemon is there, but nobody can say what with. */
function unresponsive({ pid }: DaemonAccount): FairleadError {
  const message = `The daemon (process ${pid}) is there but does not answer: it is stopped, or has too much to do.`;
  return new FairleadError("unavailable", `${message} \`fairlead down\` ends it, and no session.`);
}
