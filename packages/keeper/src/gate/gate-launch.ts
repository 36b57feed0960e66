import type { ChildProcess } from "node:child_process";
import { gateEnvironment } from "./gate-environment.ts";
import type { GateLink, GateLinkOptions } from "./gate-link.ts";
import { leaderCommand, leaderEnvironment, LeaderLink } from "./leader-link.ts";
import { PreparedLink, type PreparedNetwork } from "./prepared-link.ts";

/** What a gate adds to the command that starts an agent. */
export interface GateLaunch {
  /** Runs bubblewrap. */
  readonly bwrap: readonly string[];
  /** Whether bubblewrap starts in a network of the sandbox's own. */
  readonly isInNetwork: boolean;
  /** The program that becomes the agent, if it is not bubblewrap's child itself. */
  readonly leader: readonly string[];
  /** The environment in which bubblewrap starts. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the leader gets a channel of messages, which the agent does not. */
  readonly hasChannel: boolean;
  start(child: ChildProcess): GateLink;
}

/** The gate of a process that starts with a leader. `file` is what the leader becomes. `onEnd` runs when nothing is left. */
export function leaderLaunch(link: GateLinkOptions, bwrap: string, file: string, onEnd: () => void): GateLaunch {
  return {
    bwrap: [bwrap],
    isInNetwork: false,
    leader: leaderCommand(link.gate, file),
    env: leaderEnvironment(link.env),
    hasChannel: true,
    start: (child) => new LeaderLink(child, link, onEnd),
  };
}

/** The gate of a process that enters a prepared network. */
export function preparedLaunch(link: GateLinkOptions, prepared: PreparedNetwork): GateLaunch {
  return {
    bwrap: prepared.namespace.enterCommand,
    isInNetwork: true,
    leader: [],
    env: { ...link.env, ...gateEnvironment(prepared.namespace.proxyPort) },
    hasChannel: false,
    start: () => new PreparedLink(prepared, link),
  };
}
