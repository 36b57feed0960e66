import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { runsPlanted } from "../repository.ts";

/**
 * Attempts that need a git folder that the agent can write, in a repository in which the user allows no commits. They have
 * the effect of those without this limit.
 */
export const gitWithoutCommitsAttempts: readonly Attempt[] = [
  attempt(
    "git-common-folder-without-commits",
    (configure) =>
      `mkdir planted; cp -r .git/objects .git/refs .git/HEAD planted; ${configure("planted/config")}; echo ../planted > .git/commondir`,
  ),
  attempt(
    "git-embedded-bare-without-commits",
    (configure) =>
      `${configure("config")}; git config -f config core.bare false; git config -f config core.worktree .; cp -r .git/objects .git/refs .git/HEAD .; rm -f .git/HEAD`,
  ),
  {
    ...attempt(
      "git-configured-later-without-commits",
      (configure) =>
        `touch waits; for i in $(seq 100); do [ -e changed ] && break; sleep 0.1; done; ${configure(".git/config")}`,
    ),
    async during(target) {
      const folder = folderOf(target, "git-configured-later-without-commits");
      await target.until(() => existsSync(join(folder, "waits")) || target.isIdle);
      execFileSync("git", ["-C", folder, "config", "user.signingKey", "x"]);
      writeFileSync(join(folder, "changed"), "");
    },
  },
];

const folderOf = (target: EscapeTarget, name: string): string => target.inHome(name);

function attempt(name: string, script: (configure: (file: string) => string) => string): Attempt {
  return {
    name,
    createWorkspace(target) {
      const folder = folderOf(target, name);
      mkdirSync(folder);
      execFileSync("git", ["init", "-q", folder]);
      const options = ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b"];
      execFileSync("git", [...options, "commit", "-q", "--allow-empty", "-m", "first"]);
      writeFileSync(target.inData("config.yaml"), `sandbox:\n  ${folder}:\n    commits: false\n`);
      return folder;
    },
    script: (target) =>
      script(
        (file) =>
          `git config -f ${file} core.repositoryformatversion 0; git config -f ${file} core.fsmonitor "touch ${target.proof(name)}; false"`,
      ),
    succeeded: (target) => runsPlanted(target, name, folderOf(target, name)),
    restore: (target) => rmSync(target.inData("config.yaml"), { force: true }),
  };
}
