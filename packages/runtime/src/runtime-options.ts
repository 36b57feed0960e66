import type { Adapter, Event, HostTool, Sandbox } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import type { SnapshotInterval } from "./actor/session-actor-options.ts";
import type { WorkspaceFileContent } from "./config/workspace-file.ts";
import type { Home } from "./home.ts";
import type { KeeperAttendance } from "./host/keeper-attendance.ts";
import type { Environment } from "./host/child-environment.ts";

export interface RuntimeOptions {
  readonly home: Home;
  readonly adapters: readonly Adapter[];
  /** The storage and transport that processes share. The caller closes it. Default: SQLite and files in the data directory. */
  readonly engine?: Engine;
  /** The environment from which agents get their variables. `process.env` by default. */
  readonly environment?: Environment;
  /** Whether a person trusts a workspace with everything it configures. Default: no workspace is trusted. */
  readonly trustsWorkspace?: (workspace: string) => boolean;
  /** The sandbox of a session whose start asks for none in particular. Default: `bwrap`, where there can be one. */
  readonly sandbox?: "bwrap" | "none";
  /** The network of a sandbox that names none. Default: `open`. */
  readonly network?: Sandbox["network"];
  /** Whether sessions have the default policy, unless the user's file says otherwise. Default: no. */
  readonly defaultPolicy?: boolean;
  /** Whether a person trusts a workspace's `fairlead.yaml` with everything it sets. Default: no file is trusted. */
  readonly trustsFile?: (file: WorkspaceFileContent) => boolean;
  /**
   * Compares the workspace of a session with its earlier state when a call or a turn ends, so that changes which the agent
   * does not report are known. Needs git.
   */
  readonly observeFiles?: boolean;
  /** The tools that this process runs for agents. A start names those that its agent is offered. */
  readonly tools?: readonly HostTool[];
  /** Keeps a spare keeper running, so that a new session need not wait for the start of one. For daemons. */
  readonly keepSpareKeeper?: boolean;
  /**
   * Where repositories are cloned for sessions. In a fleet, the same path on all hosts of a pool, because agents keep paths in
   * their memory. Default: `workspaces` in the data directory.
   */
  readonly workspacesFolder?: string;
  /** Files with credentials of this process, which no agent in a sandbox may read. Default: none. */
  readonly loginFiles?: readonly string[];
  /** Until when agents may work. For hosts of a fleet. Default: agents continue without this process. */
  readonly attendance?: KeeperAttendance;
  /** How much an actor processes between two snapshots. */
  readonly snapshotInterval?: SnapshotInterval;
  /** Receives every event that this process appends to the journal. Must not throw. */
  readonly onJournaled?: (event: Event) => void;
  /** Receives the first of several failures to read the journal into the index of sessions. Must not throw. */
  readonly onIndexFailure?: (error: unknown) => void;
  /** Receives the first of several failures to store what another host needs to continue a session. Must not throw. */
  readonly onImageFailure?: (error: unknown) => void;
  /** Receives the error if the journal has lost sessions that the index has. Must not throw. */
  readonly onJournalLoss?: (error: unknown) => void;
  /**
   * Returns the keys that a session's agent must not have. The keeper masks them in all that it records, and a call that
   * contains such a mask is denied.
   */
  readonly withheld?: (session: string) => readonly string[];
}
