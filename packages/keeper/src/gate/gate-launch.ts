import type { ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
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
  /** More arguments of bubblewrap. */
  readonly bwrapArgs: readonly string[];
  /** The program that becomes the agent, if it is not bubblewrap's child itself. */
  readonly leader: readonly string[];
  /** The environment in which bubblewrap starts. */
  readonly env: Readonly<Record<string, string>>;
  /** A stream that bubblewrap gets and the agent does not. */
  readonly stream: "ipc" | "pipe";
  start(child: ChildProcess): GateLink;
}

/** The gate of a process that starts with a leader. `file` is what the leader becomes. `onEnd` runs when nothing is left. */
export function leaderLaunch(link: GateLinkOptions, bwrap: string, file: string, onEnd: () => void): GateLaunch {
  return {
    bwrap: [bwrap],
    isInNetwork: false,
    bwrapArgs: [],
    leader: leaderCommand(link.gate, file),
    env: leaderEnvironment(link.env),
    stream: "ipc",
    start: (child) => new LeaderLink(child, link, onEnd),
  };
}

/** The gate of a process that enters a prepared network. Bubblewrap waits for it at the descriptor `fd`. */
export function preparedLaunch(link: GateLinkOptions, prepared: PreparedNetwork, fd: number): GateLaunch {
  return {
    bwrap: prepared.namespace.enterCommand,
    isInNetwork: true,
    bwrapArgs: ["--block-fd", String(fd)],
    leader: [],
    env: { ...link.env, ...gateEnvironment(prepared.namespace.proxyPort) },
    stream: "pipe",
    start: (child) => new PreparedLink(child, child.stdio[fd] as Writable, prepared, link),
  };
}
