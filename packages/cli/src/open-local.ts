import { adapters, defaultAgent, unverifiedAgents } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { LocalFairlead, type Observer } from "@fairlead/server";
import type { Surroundings } from "./surroundings.ts";
import { TrustedFiles } from "./trust/trusted-files.ts";
import { versionOf } from "./version.ts";

/** Fairlead in this process: the one place that joins adapters to a runtime. */
export function openLocal({ home, environment }: Surroundings, observer?: Observer): Promise<LocalFairlead> {
  const trusted = new TrustedFiles(home);
  return LocalFairlead.open({
    home: new Home(home),
    adapters: [...adapters, ...unverifiedAgents],
    environment,
    fallback: defaultAgent,
    trusts: (file) => trusted.trusts(file),
    verified: (agent) => !unverifiedAgents.some(({ manifest }) => manifest.id === agent),
    version: versionOf(environment),
    ...(observer && { observer }),
  });
}
