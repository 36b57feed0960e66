import type { CliContext } from "../cli-context.ts";
import { UsageError } from "../usage-error.ts";
import { findRemoteUrl } from "./find-remote-url.ts";

/** Refuses a command that acts on this machine while `FAIRLEAD_URL` names another one, which a person may mean. */
export function refuseRemote(context: Pick<CliContext, "environment">, command: string): void {
  const url = findRemoteUrl(context);
  if (url === null) return;
  throw new UsageError(
    `\`fairlead ${command}\` acts on this machine only, and FAIRLEAD_URL names ${url}: type it on that machine, or here: env -u FAIRLEAD_URL fairlead ${command}`,
  );
}
