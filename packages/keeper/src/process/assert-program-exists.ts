import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { LaunchCommand } from "@fairlead/contract";

const defaultPath = "/usr/local/bin:/bin:/usr/bin";

/**
 * Throws the error that `spawn` would throw if a program cannot be found. Needed where another program (bubblewrap,
 * setsid) starts the agent: that program would print the error on the agent's stderr instead.
 */
export function assertProgramExists({ program, cwd }: LaunchCommand, env: Readonly<Record<string, string>>): void {
  if (!existsSync(cwd)) return; // `spawn` reports this
  const folders = program.includes("/") ? [""] : (env["PATH"] ?? defaultPath).split(delimiter);
  const candidates = folders.map((folder) => (folder === "" ? resolve(cwd, program) : resolve(cwd, folder, program)));
  if (candidates.some(isExecutable)) return;
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
