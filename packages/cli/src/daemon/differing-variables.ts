import { childEnvironment } from "@fairlead/runtime";
import type { DaemonAccount } from "./daemon-account.ts";
import { variableDigests, type Variables } from "./variable-digests.ts";

/**
 * The variables that an agent is given by name, as a key for a service is, and that are not the same here as in the
 * daemon. Agents get the daemon's, and whoever has just set one here ought to know.
 */
export function differingVariables(named: readonly string[], here: Variables, there: DaemonAccount): string[] {
  const ours = variableDigests(here, there.startedAt);
  const passed = (environment: Variables): string[] => {
    const always = childEnvironment(environment, [], {});
    return Object.keys(childEnvironment(environment, named, {})).filter((name) => !(name in always));
  };
  const names = new Set([...passed(ours), ...passed(there.variables)]);
  return [...names].filter((name) => ours[name] !== there.variables[name]).toSorted();
}
