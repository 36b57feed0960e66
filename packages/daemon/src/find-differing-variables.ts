import { createHmac } from "node:crypto";
import { buildChildEnvironment } from "@fairlead/runtime";
import type { DaemonInfo } from "./daemon-info.ts";

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Digests the values of an environment, so that two environments can be compared without storing secrets. */
export function digestVariables(environment: EnvironmentVariables, salt: string): Record<string, string> {
  const digest = (value = ""): string => createHmac("sha256", salt).update(value).digest("hex").slice(0, 16);
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, digest(value)]));
}

/**
 * Finds the variables that an agent receives by name, such as an API key, and whose values here differ from the daemon's.
 * Agents receive the daemon's values, so a person who has just set one here must be warned.
 */
export function findDifferingVariables(
  allowedNames: readonly string[],
  localEnvironment: EnvironmentVariables,
  daemon: DaemonInfo,
): string[] {
  const localDigests = digestVariables(localEnvironment, daemon.startedAt);
  const selectPassedNames = (environment: EnvironmentVariables): string[] => {
    const baseEnvironment = buildChildEnvironment(environment, [], {});
    return Object.keys(buildChildEnvironment(environment, allowedNames, {})).filter(
      (name) => !(name in baseEnvironment),
    );
  };
  const names = new Set([...selectPassedNames(localDigests), ...selectPassedNames(daemon.variables)]);
  return [...names].filter((name) => localDigests[name] !== daemon.variables[name]).toSorted();
}

/** Whether the daemon finds programs in other folders than a command here does. */
export function isPathDifferent(localEnvironment: EnvironmentVariables, daemon: DaemonInfo): boolean {
  return digestVariables({ PATH: localEnvironment["PATH"] }, daemon.startedAt)["PATH"] !== daemon.variables["PATH"];
}
