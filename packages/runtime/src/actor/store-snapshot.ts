import { isTransientFailure } from "../sessions/is-transient-failure.ts";
import { retryUntil, type RetryOptions } from "./retry-until.ts";
import type { Snapshot, SnapshotStore } from "./snapshot.ts";

/** Stores a snapshot, and retries while the disk is full. Returns false if it cannot be stored: no record may be trimmed then. */
export async function storeSnapshot(store: SnapshotStore, snapshot: Snapshot, options: RetryOptions): Promise<boolean> {
  try {
    await retryUntil(() => store.save(snapshot), { ...options, isTransient: isTransientFailure });
    return true;
  } catch (error) {
    if (isTransientFailure(error)) throw error;
    // The spool has every record. A state that cannot be written, repeated without end, would stall all sessions.
    process.emitWarning(`No snapshot of session ${snapshot.state.opening?.session} was saved: ${String(error)}`);
    return false;
  }
}
