import type { LaunchCommand, Sandbox, TerminalSize } from "@fairlead/contract";
import type { Mask } from "../masks/masks.ts";
import type { SecretValues } from "../process/resolve-secrets.ts";

/** The name and version of the protocol on a keeper's socket. */
export const keeperProtocolName = "fairlead-keeper/1";
export const keeperProtocolVersion = 1;

/** The extensions of the first protocol version that this keeper supports. */
export const features: readonly string[] = [
  "trim",
  "lease",
  "adopt",
  "terminal",
  "secrets",
  "sandbox",
  "masks",
  "gate",
  "prepare-gate",
  "input-secrets",
  "attend",
];

/**
 * A request to a keeper that has a reply, one JSON object per line. A request that is sent again with the same id is not executed again.
 */
export type KeeperRequest =
  /** Records the text. Has no other effect. */
  | { readonly do: "note"; readonly id: string; readonly text: string }
  /**
   * Starts a process. `env` is its whole environment; only the names are recorded. `secrets` has the values of references
   * in the command. The command is recorded with the references. `sandbox` limits the process; without it, it has none. A
   * keeper without the feature `sandbox` ignores the field, so a client must not send it such a launch.
   */
  | {
      readonly do: "launch";
      readonly id: string;
      readonly command: LaunchCommand;
      readonly secrets?: SecretValues;
      readonly sandbox?: Sandbox;
      /** The key that the gate of the sandbox inserts. Recorded nowhere. */
      readonly credential?: string;
    }
  /**
   * Writes to the stdin of a process; to the newest if `process` is absent. `secrets` has the values of references in the
   * text, which is recorded with the references.
   */
  | {
      readonly do: "write";
      readonly id: string;
      readonly process?: number;
      readonly text: string;
      readonly secrets?: SecretValues;
    }
  /** Closes the stdin of the newest process. */
  | { readonly do: "close-stdin"; readonly id: string }
  /** Sends a signal to the newest process alone. */
  | { readonly do: "signal"; readonly id: string; readonly signal: NodeJS.Signals }
  /** Ends the newest process and everything it started. */
  | { readonly do: "kill"; readonly id: string }
  /**
   * Answers whether the session's processes may connect to a host and port. Connections that wait for it continue. An
   * allowed one stays allowed until its process ends.
   */
  | {
      readonly do: "network";
      readonly id: string;
      readonly host: string;
      readonly port: number;
      readonly allow: boolean;
    }
  /**
   * Types into the terminal of the newest process. Not recorded, because people type secrets. The keeper therefore
   * cannot detect a duplicate: a client that sends it again types it again.
   */
  | { readonly do: "type"; readonly id: string; readonly text: string }
  /** Resizes that terminal; the process gets SIGWINCH. Not recorded. */
  | { readonly do: "resize"; readonly id: string; readonly size: TerminalSize }
  /**
   * Replaces secret texts by masks in everything that is recorded from now on, and masks by their texts in what an agent
   * gets. Adds to earlier masks. Not recorded.
   */
  | { readonly do: "mask"; readonly id: string; readonly masks: readonly Mask[] }
  /**
   * Prepares the network gate of a launch that will follow, so that it need not wait. Without it, and with a keeper without
   * the feature, the launch works as well. Not recorded.
   */
  | { readonly do: "prepare-gate"; readonly id: string }
  /** Removes the segments of the spool that have no record after `upTo`. Not recorded. */
  | { readonly do: "trim"; readonly id: string; readonly upTo: number }
  /**
   * Makes the keeper exit once no process runs. With `after`, it is rejected if anything was recorded after that
   * record, so that a client that has just started to use the keeper does not lose it. Not recorded: it is not part of
   * the conversation.
   */
  | { readonly do: "leave"; readonly id: string; readonly after?: number };

/**
 * Sets until when the agents may work, in nanoseconds on the monotonic clock of the machine, as decimal digits. See
 * `KeeperDeadlines`. Has no effect in a keeper whose agents continue without a client. It has no reply and is not recorded: it
 * is sent every few seconds, and only the newest one counts.
 */
export interface AttendRequest {
  readonly do: "attend";
  readonly id: string;
  readonly confirmedAt: string;
  readonly freezeAt: string;
  readonly endAt: string;
  /** Older keepers ignore it. */
  readonly onlyShortens?: boolean;
}

/** The first message to each client. */
export interface KeeperHello {
  readonly hello: string;
  readonly pid: number;
  /**
   * The last sequence when this keeper started. It does not supervise processes launched before. Older keepers omit it.
   */
  readonly startSeq?: number;
  readonly lastSeq: number;
  /** The extensions of the first protocol version that the keeper supports. Older keepers omit it. */
  readonly features?: readonly string[];
}

/** The request is recorded under this sequence. `duplicate`: it was recorded before and was not executed again. */
export interface KeeperAck {
  readonly ack: string;
  readonly seq: number;
  readonly duplicate: boolean;
}

/** The request was neither recorded nor executed. `error` is its id, or null if the request could not be parsed. */
export interface RequestRejection {
  readonly error: string | null;
  readonly message: string;
  /** The same request may succeed later. */
  readonly retryable?: boolean;
}

/** The spool has grown up to this record. */
export interface KeeperWake {
  readonly seq: number;
  /** Records up to this one survive a loss of power. Absent in older keepers, and if the disk failed to sync. */
  readonly synced?: number;
}

/** A message from a keeper. Acks and rejections arrive in the order of their requests. */
export type KeeperReply = KeeperHello | KeeperAck | RequestRejection | KeeperWake;
