import { existsSync, globSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Flags for the Node process of a keeper. A keeper lives long, has a small heap and may receive a flood of output. With
 * these flags it collects garbage early instead of growing. That is cheap because its live heap is small.
 */
export const keeperNodeFlags: readonly string[] = ["--optimize-for-size", "--max-semi-space-size=1"];

/** Exit codes of a keeper that failed. A keeper prints nothing, so the code is its only error message. */
export const keeperExitCodes = { failed: 1, usageError: 2, alreadyRunning: 3, spoolDamaged: 4 } as const;

export const keeperExitReasons: ReadonlyMap<number, string> = new Map<number, string>([
  [keeperExitCodes.failed, "it failed with an unexpected error"],
  [keeperExitCodes.usageError, "no session folder was passed"],
  [keeperExitCodes.alreadyRunning, "another keeper runs in this folder"],
  [keeperExitCodes.spoolDamaged, "the spool is damaged"],
]);

/**
 * Returns the path of the keeper's program. Prefers the compiled file if it is as new as the source: a process that
 * strips types needs three times the memory, and one keeper runs per session.
 */
export function findKeeperMainFile(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  if (import.meta.url.endsWith(".js")) return join(here, "main.js");
  const compiled = join(here, "../dist/src/main.js");
  const sources = globSync("**/*.ts", { cwd: here }).map((file) => join(here, file));
  // The compiler does not write a file again that would be the same. It always writes its own file.
  const compiledAt = existsSync(compiled) ? lastChange([compiled, join(here, "../dist/.tsbuildinfo")]) : 0;
  return compiledAt >= lastChange(sources) ? compiled : join(here, "main.ts");
}

/** Returns when the newest of the files was changed. A missing one counts as old. */
function lastChange(files: readonly string[]): number {
  return Math.max(...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}
