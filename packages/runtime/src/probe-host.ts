import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { ProbeHost } from "@fairlead/contract";
import { childEnvironment, type Environment } from "./child-environment.ts";

/** Milliseconds that a program may take to say what it is; all take a second or two on a machine that is not busy. */
const usualPatience = 30_000;

/** This machine, as a probe may see it. */
export function probeHost(environment: Environment, named: readonly string[], patience = usualPatience): ProbeHost {
  const env = childEnvironment(environment, named, {});
  return {
    async find(program) {
      const folders = isAbsolute(program) ? [""] : (environment["PATH"] ?? "").split(delimiter);
      for (const folder of folders) {
        const path = folder === "" ? program : join(folder, program);
        if (await can(path, constants.X_OK)) return path;
      }
      return null;
    },
    run(program, args) {
      return new Promise((resolve) => {
        const child = execFile(program, [...args], { env, timeout: patience }, (error, stdout, stderr) => {
          // A program that is told to end may do so with code 0, as if it had said all it had to say.
          if (child.killed) return resolve({ code: 1, stdout, stderr: `it said nothing for ${patience / 1000} s` });
          const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
          resolve({ code, stdout, stderr: stderr || (error?.message ?? "") });
        });
        child.stdin?.end();
      });
    },
    has: (variable) => (environment[variable] ?? "") !== "",
    exists: (path) => can(path.replace(/^~(?=\/)/, environment["HOME"] ?? homedir()), constants.F_OK),
  };
}

async function can(path: string, mode: number): Promise<boolean> {
  return await access(path, mode).then(
    () => true,
    () => false,
  );
}
