import { adapters, defaultAgentId, unverifiedAdapters } from "@fairlead/adapters";
import { LocalFairlead, type EventObserver } from "@fairlead/service";
import type { DaemonContext } from "./daemon-context.ts";
import { readVersion } from "./daemon-info.ts";
import { TrustedFiles } from "./trusted-files.ts";

/** Opens Fairlead in this process, with every adapter. */
export function openLocalFairlead(
  { home, environment }: DaemonContext,
  observer?: EventObserver,
): Promise<LocalFairlead> {
  const trustedFiles = new TrustedFiles(home);
  return LocalFairlead.open({
    home,
    adapters: [...adapters, ...unverifiedAdapters],
    environment,
    fallback: defaultAgentId,
    trusts: (file) => trustedFiles.trusts(file),
    trustsWorkspace: (workspace) => trustedFiles.trustsFolder(workspace),
    defaultPolicy: true,
    verified: (agent) => !unverifiedAdapters.some(({ manifest }) => manifest.id === agent),
    version: readVersion(environment),
    ...(observer && { observer }),
  });
}
