import { answers } from "./answers.ts";
import { readAccount, type DaemonAccount } from "./daemon-account.ts";
import type { DaemonPlace } from "./daemon-place.ts";

/** The daemon that is there, if one answers. */
export async function daemonAt(place: DaemonPlace): Promise<DaemonAccount | null> {
  return (await answers(place.socket)) ? readAccount(place.account) : null;
}
