import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { LaunchLine } from "@fairlead/contract";

const defaultPath = "/usr/local/bin:/bin:/usr/bin";

/**
 * Throws, in the words of `spawn`, if a program cannot be found: when somebody else starts it for us, he would complain
 * to the agent's own standard error.
 */
export function checkProgram({ program, cwd }: LaunchLine, env: Readonly<Record<string, string>>): void {
  if (!existsSync(cwd)) return; // spawn will say so
  const folders = program.includes("/") ? [""] : (env["PATH"] ?? defaultPath).split(delimiter);
  const found = folders.map((folder) => (folder === "" ? resolve(cwd, program) : resolve(cwd, folder, program)));
  if (found.some(isExecutable)) return;
  throw new Error(`spawn ${program} ${found.some((file) => existsSync(file)) ? "EACCES" : "ENOENT"}`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
