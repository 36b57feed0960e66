import { adapters, defaultAgentId, judgedVersions, unverifiedAdapters } from "@fairlead/adapters";
import { LocalFairlead, type EventObserver, type LocalFairleadOptions } from "@fairlead/service";
import type { DaemonContext } from "./daemon-context.ts";
import { readVersion } from "./daemon-info.ts";
import { TrustedFiles } from "./trusted-files.ts";

/** Opens Fairlead in this process, with every adapter. */
export function openLocalFairlead(context: DaemonContext, observer?: EventObserver): Promise<LocalFairlead> {
  return LocalFairlead.open(localFairleadOptions(context, observer));
}

/** Returns the options of a service with every adapter, for a daemon and for a host of a fleet. */
export function localFairleadOptions(
  { home, environment }: DaemonContext,
  observer?: EventObserver,
): LocalFairleadOptions {
  const trustedFiles = new TrustedFiles(home);
  return {
    home,
    adapters: [...adapters, ...unverifiedAdapters],
    environment,
    fallback: defaultAgentId,
    trusts: (file) => trustedFiles.trusts(file),
    trustsWorkspace: (workspace) => trustedFiles.trustsFolder(workspace),
    defaultPolicy: true,
    verified: (agent) => !unverifiedAdapters.some(({ manifest }) => manifest.id === agent),
    judged: (agent) => [...(judgedVersions[agent] ?? [])],
    version: readVersion(environment),
    ...(observer && { observer }),
  };
}
