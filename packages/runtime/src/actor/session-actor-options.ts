import type { Adapter, NoteOf, Sandbox, SpoolRecord } from "@fairlead/contract";
import type { KeeperConnection, Mask, SecretValues } from "@fairlead/keeper";
import type { Environment } from "../host/child-environment.ts";
import type { FileObserver, ObservedSession } from "../files/file-observer.ts";
import type { ToolRunnerOptions } from "../tools/tool-runner.ts";
import type { ImageWriter } from "../moving/image-writer.ts";
import type { Clock } from "./clock.ts";
import type { SnapshotStore, Snapshot } from "./snapshot.ts";
import type { JournalWriter } from "./journal-writer.ts";

/** The dependencies of an actor: everything outside its memory goes through them. */
export interface SessionActorOptions {
  readonly adapter: Adapter;
  readonly journal: JournalWriter;
  /** The last spool record whose events the journal already has. */
  readonly journaledUpTo: number;
  /** `read` returns the records after the last ones it returned, and none at the end. `sync` makes those durable. */
  readonly spool: { read(): readonly SpoolRecord[]; sync(): Promise<void> };
  /** The snapshot that an earlier actor saved, if it can be used. */
  readonly snapshot: Snapshot | null;
  readonly snapshotStore: SnapshotStore;
  readonly keeper: KeeperConnection;
  /** Starts another keeper when this one is gone. */
  readonly startKeeper: () => Promise<KeeperConnection>;
  readonly environment: Environment;
  /** Reads the values of the references in the opening's settings. Without it, the session has none. */
  readonly readSecrets?: () => SecretValues;
  /** Creates the masks that the keeper puts in the place of secrets. Without it, nothing is masked. */
  readonly createMasks?: (sandbox: Sandbox | undefined) => readonly Mask[];
  /** Whether a text contains the mask of a key that the agent must not have. A call with such a text is denied. */
  readonly isWithheld?: (text: string, sandbox: Sandbox | undefined) => boolean;
  /** Why this process killed the session's keeper, if it did. */
  readonly readForcedEnd?: () => Pick<NoteOf<"lost">, "error">;
  /** Creates what compares the workspace's files. Without it, only the agent's own reports are known. */
  readonly createFileObserver?: (session: ObservedSession) => FileObserver;
  /** Returns the tool of this name that is offered to a session. Without it, there is none. */
  readonly findTool?: ToolRunnerOptions["findTool"];
  /** Stores the state for another host at the end of each turn. Without it, no other host can continue the session. */
  readonly imageWriter?: ImageWriter;
  readonly clock: Clock;
  /** How much the actor processes between two snapshots. The keeper may trim the spool before a snapshot. */
  readonly snapshotInterval?: SnapshotInterval;
}

/** A snapshot is due after this many records or bytes, whichever comes first. */
export interface SnapshotInterval {
  readonly records: number;
  readonly bytes: number;
}
