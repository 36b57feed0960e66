import { realpathSync } from "node:fs";
import { join } from "node:path";
import { readPlainFile } from "./read-plain-file.ts";

export const workspaceFile = "fairlead.yaml";
/** Bytes that such a file may have. */
const longest = 64 * 1024;

/** The file of a workspace as it was read, for somebody to say whether it is trusted. */
export interface FoundFile {
  /** Absolute, and without links. */
  readonly path: string;
  readonly text: string;
}

/** The file of a workspace, null when there is none. What is no plain file, or too large, throws. */
export function findWorkspaceFile(workspace: string): FoundFile | null {
  const text = readPlainFile(join(workspace, workspaceFile), longest);
  return text === null ? null : { path: join(realpathSync(workspace), workspaceFile), text };
}
