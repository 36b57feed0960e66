import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { LaunchCommand } from "@fairlead/contract";

const defaultPath = "/usr/local/bin:/bin:/usr/bin";

/**
 * Finds the file of a program, as `spawn` does, and throws the error that `spawn` would throw if there is none. Needed
 * where another program (bubblewrap, setsid) starts the agent: that program would print the error on the agent's stderr
 * instead. Returns null if the working directory does not exist, which `spawn` reports.
 */
export function findProgram({ program, cwd }: LaunchCommand, env: Readonly<Record<string, string>>): string | null {
  if (!existsSync(cwd)) return null;
  const folders = program.includes("/") ? [""] : (env["PATH"] ?? defaultPath).split(delimiter);
  const candidates = folders.map((folder) => (folder === "" ? resolve(cwd, program) : resolve(cwd, folder, program)));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new Error(`spawn ${program} ${candidates.some((file) => existsSync(file)) ? "EACCES" : "ENOENT"}`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
