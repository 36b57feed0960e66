import { realpathSync } from "node:fs";
import { join } from "node:path";
import { readPlainFile } from "../host/read-plain-file.ts";

export const workspaceFileName = "fairlead.yaml";
/** Size limit of a workspace file, in bytes. */
const maxBytes = 64 * 1024;

/** The content of a workspace file, from which the caller decides whether the file is trusted. */
export interface WorkspaceFileContent {
  /** Absolute, with links resolved. */
  readonly path: string;
  readonly text: string;
}

/** Reads the workspace file. Returns null if there is none. Throws if it is not a regular file, or too large. */
export function findWorkspaceFile(workspace: string): WorkspaceFileContent | null {
  const text = readPlainFile(join(workspace, workspaceFileName), maxBytes);
  return text === null ? null : { path: join(realpathSync(workspace), workspaceFileName), text };
}
