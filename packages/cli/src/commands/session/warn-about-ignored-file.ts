import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CliContext } from "../../cli-context.ts";

const workspaceFileName = "fairlead.yaml";

/** Warns about a file in a folder above the workspace, which a person may expect to be used. */
export function warnAboutIgnoredFile({ screen }: CliContext, workspace: string): void {
  if (existsSync(join(workspace, workspaceFileName))) return;
  for (let folder = workspace; folder !== dirname(folder);) {
    folder = dirname(folder);
    if (!existsSync(join(folder, workspaceFileName))) continue;
    const file = join(folder, workspaceFileName);
    screen.warn(`${file} is not used: only the file in the workspace is. To use it, add: --workspace ${folder}`);
    return;
  }
}
