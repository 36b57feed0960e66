import type { AgentView } from "@fairlead/api";
import type { Adapter, HostTool } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import type { AgentSelectionOptions, Environment, Home, RuntimeOptions } from "@fairlead/runtime";
import type { DelegationBounds } from "./delegation/delegation.ts";
import type { EventObserver } from "./event-observer.ts";
import type { ForemanSetup } from "./runs/foreman-host.ts";

export interface LocalFairleadOptions {
  readonly home: Home;
  readonly adapters: readonly Adapter[];
  /** The storage and transport that processes share. The caller closes it. Default: SQLite and files in the data directory. */
  readonly engine?: Engine;
  /** The variables from which agents get theirs. Default: `process.env`. */
  readonly environment?: Environment;
  /** The agent if neither the request nor the workspace nor the environment names one. Default: the first adapter's. */
  readonly fallback?: string;
  /** Whether a person trusts a workspace's `fairlead.yaml` with everything it sets. Default: no file is trusted. */
  readonly trusts?: AgentSelectionOptions["trusts"];
  /** Whether a person trusts a workspace with the agent's own configuration in it. Default: no workspace is trusted. */
  readonly trustsWorkspace?: RuntimeOptions["trustsWorkspace"];
  /** Whether sessions have the default policy, unless the user's file says otherwise. Default: no. */
  readonly defaultPolicy?: boolean;
  /** Whether the conformance suite has ever passed with an agent. Default: true for all agents. */
  readonly verified?: (agent: string) => boolean;
  /** The versions of an agent on which the conformance suite was run, the newest first. Default: none. */
  readonly judged?: (agent: string) => NonNullable<AgentView["judged"]>;
  /** The version that `health` reports. Default: `embedded`. */
  readonly version?: string;
  /** Whether to compare the files of workspaces, so that changes which agents do not report are known. Default: true. */
  readonly observeFiles?: boolean;
  /** Where repositories are cloned for sessions. Default: a folder of the data directory. */
  readonly workspacesFolder?: string;
  /** Files with credentials of this process, which no agent in a sandbox may read. Default: none. */
  readonly loginFiles?: readonly string[];
  /** Until when agents may work. For hosts of a fleet. Default: agents continue without this process. */
  readonly attendance?: RuntimeOptions["attendance"];
  /**
   * Receives the first of several failures to store what another host needs to continue a session. For hosts of a fleet. Must
   * not throw.
   */
  readonly onImageFailure?: RuntimeOptions["onImageFailure"];
  /** The tools that this process runs for agents, beside the built-in ones. A start names those that its agent is offered. */
  readonly tools?: readonly HostTool[];
  /** How many sessions agents may start. */
  readonly delegationBounds?: DelegationBounds;
  /** Stops a session that has moved to another host, because its parent has ended. For hosts of a fleet. */
  readonly stopElsewhere?: (session: string, key: string) => Promise<unknown>;
  /** How runs are done. Default: by the workflows of `@fairlead/foreman`, in this process. */
  readonly foreman?: ForemanSetup;
  /** Receives every event of the sessions that this process drives. */
  readonly observer?: EventObserver;
}

/** The options of the runtime that the caller of the service decides. */
export function runtimeOptionsOf(options: LocalFairleadOptions): RuntimeOptions {
  const { home, adapters, environment = process.env, observeFiles = true, trusts } = options;
  const { engine, trustsWorkspace, workspacesFolder, loginFiles, attendance, defaultPolicy, onImageFailure } = options;
  return {
    home,
    adapters,
    environment,
    keepSpareKeeper: true,
    observeFiles,
    ...(engine && { engine }),
    ...(trustsWorkspace && { trustsWorkspace }),
    ...(workspacesFolder !== undefined && { workspacesFolder }),
    ...(loginFiles && { loginFiles }),
    ...(attendance && { attendance }),
    ...(trusts && { trustsFile: trusts }),
    ...(defaultPolicy !== undefined && { defaultPolicy }),
    ...(onImageFailure && { onImageFailure }),
  };
}
