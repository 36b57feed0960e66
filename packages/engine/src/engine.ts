import type { Journal, Recovery, SessionIndex } from "@fairlead/journal";
import type { Bus } from "./bus.ts";
import type { Hosts } from "./hosts.ts";
import type { ObjectStore } from "./object-store.ts";
import type { TokenStore } from "./token-store.ts";
import type { WorkQueue } from "./work-queue.ts";

/**
 * All storage and transport that Fairlead shares between processes. On one machine, SQLite and files; in a fleet, servers.
 * Only the log must be right: everything else can be lost and rebuilt, or says only where to look.
 */
export interface Engine extends AsyncDisposable {
  /** The events of all sessions, and the right to append them. */
  readonly log: Journal;
  readonly index: SessionIndex;
  readonly hosts: Hosts;
  readonly bus: Bus;
  readonly queue: WorkQueue;
  readonly tokens: TokenStore;
  /** The files in which agents keep their memory of a conversation. */
  readonly objects: ObjectStore;
  /** What a crash left in the log when the engine opened it; undefined after a clean close. */
  readonly recovery?: Recovery | undefined;
}
