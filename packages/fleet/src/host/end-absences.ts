import type { Membership } from "@fairlead/engine";
import type { LocalFairlead } from "@fairlead/service";

/**
 * Ends what earlier processes of this host have announced, once this one drives their sessions. If it fails to drive one, it ends
 * nothing: the keeper of that session may follow the announcement, and no other host may take the session before its time.
 */
export async function endAbsences(
  recovery: LocalFairlead["recovery"],
  membership: () => Pick<Membership, "endAbsences"> | null,
): Promise<void> {
  const { failures } = await recovery.catch(() => ({ failures: [null] }));
  if (failures.length === 0) await membership()?.endAbsences();
}
