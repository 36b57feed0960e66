import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { FairleadError } from "@fairlead/contract";

/** Throws `invalid-request` if a path is no absolute path of a folder. */
export function assertWorkspace(workspace: string): void {
  if (workspace.includes("\0"))
    throw new FairleadError("invalid-request", "The workspace path contains a NUL character.");
  if (!isAbsolute(workspace))
    throw new FairleadError("invalid-request", `The workspace "${workspace}" is not an absolute path.`);
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new FairleadError("invalid-request", `The workspace ${workspace} is not a folder.`);
}
