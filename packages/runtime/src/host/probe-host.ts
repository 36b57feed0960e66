import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { ProbeHost } from "@fairlead/contract";
import { buildChildEnvironment, type Environment } from "./child-environment.ts";

/** Milliseconds that a probe command may take. All take a second or two on a machine that is not busy. */
const defaultTimeout = 30_000;

/** Creates the view of this machine that an adapter's probe gets. */
export function createProbeHost(
  environment: Environment,
  allowedVariables: readonly string[],
  timeout = defaultTimeout,
): ProbeHost {
  const env = buildChildEnvironment(environment, allowedVariables, {});
  return {
    // The keeper's `findProgram` searches PATH as well. It predicts whether one `spawn` fails, and how: with the
    // agent's working directory and environment, and the default PATH of `spawn`. A probe runs before a session has
    // either, and needs the path. The keeper may not import this package, so each has its own search.
    async find(program) {
      // A relative folder would be one of the workspace, in which an agent can create programs.
      const folders = isAbsolute(program) ? [""] : (environment["PATH"] ?? "").split(delimiter).filter(isAbsolute);
      for (const folder of folders) {
        const path = folder === "" ? program : join(folder, program);
        if (await canAccess(path, constants.X_OK)) return path;
      }
      return null;
    },
    run(program, args) {
      return new Promise((resolve) => {
        const child = execFile(program, [...args], { env, timeout }, (error, stdout, stderr) => {
          // A program that handles the termination signal may exit with code 0, as if its output were complete.
          if (child.killed) return resolve({ code: 1, stdout, stderr: `no result after ${timeout / 1000} s` });
          const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
          resolve({ code, stdout, stderr: stderr || (error?.message ?? "") });
        });
        child.stdin?.end();
      });
    },
    hasVariable: (variable) => (environment[variable] ?? "") !== "",
    exists: (path) => canAccess(path.replace(/^~(?=\/)/, environment["HOME"] ?? homedir()), constants.F_OK),
  };
}

async function canAccess(path: string, mode: number): Promise<boolean> {
  return await access(path, mode).then(
    () => true,
    () => false,
  );
}
