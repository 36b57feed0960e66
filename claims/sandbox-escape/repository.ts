import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EscapeTarget } from "./escape-target.ts";

/** Makes the workspace a new repository with one commit. */
export function createRepository(target: EscapeTarget): void {
  clearFolder(target.workspace);
  git(target, "init", "-q");
  writeFileSync(join(target.workspace, "file"), "content\n");
  git(target, "add", "file");
  git(target, "commit", "-q", "-m", "first");
}

/** Adds a submodule to the workspace. */
export function addSubmodule(target: EscapeTarget): void {
  const source = join(target.folder, "module-source");
  rmSync(source, { recursive: true, force: true });
  execFileSync("git", ["clone", "-q", target.workspace, source], { env: target.environment });
  git(target, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "module");
  git(target, "commit", "-q", "-m", "module");
}

/** Runs git as the user does. */
export function git(target: EscapeTarget, ...args: string[]): void {
  execFileSync("git", args, { cwd: target.workspace, env: target.environment, stdio: ["ignore", "ignore", "pipe"] });
}

/** Whether git, run by the user, runs the agent's command. */
export function runsPlanted(target: EscapeTarget, name: string, cwd: string): boolean {
  rmSync(target.proof(name), { force: true }); // the agent's own git may have run it
  for (const args of [["status"], ["diff"], ["commit", "-m", "later", "--allow-empty"]]) {
    spawnSync("git", args, { cwd, env: target.environment, stdio: "ignore" });
  }
  return target.isProven(name);
}

/** Removes what is in a folder. The folder stays the same one, because it is the hostile session's workspace. */
function clearFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}
