import type { StorageState } from "@fairlead/nats";
import type { HostState } from "./read-hosts.ts";

/** A decision that waits for an answer. */
export interface WaitingDecision {
  readonly session: string;
  readonly name: string | null;
  readonly since: string;
}

/** What a fleet's servers, index and hosts report at one moment. */
export interface FleetState {
  readonly namespace: string;
  readonly storage: StorageState;
  readonly hosts: readonly HostState[];
  /** Sessions by state. */
  readonly sessions: Readonly<Record<string, number>>;
  readonly oldestDecision: WaitingDecision | null;
  /** Open sessions whose host has left or expired. */
  readonly lostSessions: readonly string[];
}
