import type { CliContext } from "../cli-context.ts";

/** Returns the URL of the service that commands use instead of the daemon of this machine, or null. */
export function findRemoteUrl({ environment }: Pick<CliContext, "environment">): string | null {
  return environment["FAIRLEAD_URL"] || null;
}
