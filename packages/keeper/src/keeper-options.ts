import type { UnattendedLimits } from "./keeper-deadlines.ts";
import type { Containment } from "./process/containment.ts";
import type { LaunchProcess } from "./process/launched-process.ts";
import type { BufferedSpoolOptions } from "./spool/buffered-spool.ts";

export interface KeeperOptions extends BufferedSpoolOptions {
  /**
   * Returns the session's name; called at each launch, because the folder may be renamed. Default: the folder's name.
   */
  readonly sessionName?: () => string;
  /** How processes are contained. Default: the strongest kind that works on this machine. */
  readonly containment?: Containment;
  /**
   * How long the keeper runs without a client and without output from an agent, in milliseconds. Default: 15 minutes.
   */
  readonly leaseMs?: number;
  /** How long an agent may take to exit after the lease has expired and its stdin is closed. Default: 10 seconds. */
  readonly leaseGraceMs?: number;
  /**
   * Stops and ends agents that no client attends. Default: they continue, and only the lease limits them.
   */
  readonly unattended?: UnattendedLimits;
  /** Starts a process. Default: a child process of the keeper. */
  readonly launchProcess?: LaunchProcess;
}
