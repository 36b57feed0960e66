import { statSync } from "node:fs";
import type { CliContext } from "../../cli-context.ts";
import { findRemoteUrl } from "../../remote/find-remote-url.ts";
import { resolveFolder } from "../../remote/resolve-folder.ts";
import { UsageError } from "../../usage-error.ts";

/** Resolves the workspace of a new session. Only the host can say whether a folder of another machine exists. */
export function resolveWorkspace(context: CliContext, typed: string | undefined): string {
  const workspace = resolveFolder(context, typed);
  if (findRemoteUrl(context) !== null) return workspace;
  const stats = statSync(workspace, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`The folder ${workspace} does not exist.`, `mkdir -p ${workspace}`);
  if (!stats.isDirectory()) throw new UsageError(`${workspace} is not a folder. A workspace is a folder.`);
  return workspace;
}
