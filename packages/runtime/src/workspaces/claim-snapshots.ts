import { isClaimDue } from "./claim-reference.ts";
import { useStore, type StoreUseOptions } from "./use-store.ts";

/**
 * Makes this host the only one that can push snapshots of a session, which it has claimed in the log. Does nothing if it already
 * is. After an error, the next snapshot does it.
 */
export async function claimSnapshots(options: StoreUseOptions): Promise<void> {
  if (isClaimDue(options.home, options.session)) await useStore(options, async () => {});
}
