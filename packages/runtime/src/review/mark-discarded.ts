import { isAbsolute } from "node:path";
import type { Sandbox } from "@fairlead/contract";
import { isInside } from "@fairlead/keeper";

/**
 * Marks files that an agent reported, and that were written to a folder which only its sandbox had: an empty home or `/tmp`.
 * They were discarded when the process ended.
 */
export function markDiscarded<File extends { readonly path: string }>(
  files: readonly File[],
  workspace: string,
  sandbox: Sandbox | undefined,
): (File & { readonly discarded?: true })[] {
  if (sandbox?.kind !== "bwrap") return [...files];
  const kept = [workspace, sandbox.workspaceFolder ?? workspace, ...sandbox.writes];
  const isDiscarded = (path: string): boolean => isAbsolute(path) && !kept.some((folder) => isInside(path, folder));
  return files.map((file) => (isDiscarded(file.path) ? { ...file, discarded: true } : file));
}
