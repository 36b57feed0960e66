import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { createRepository } from "../repository.ts";
import { quote } from "../scripts.ts";

/** Attempts with links and renamed folders. */
export const linkAttempts: readonly Attempt[] = [
  {
    name: "read-through-symbolic-link",
    script: (target) => `ln -s ${quote(target.inHome(".ssh"))} keys; cat keys/id_key`,
    succeeded: (target, output) => output.includes(target.secret),
    restore: (target) => rmSync(join(target.workspace, "keys"), { force: true }),
  },
  {
    name: "write-through-symbolic-link",
    script: (target) => `ln -s ${quote(target.inHome(".bashrc"))} startup; echo planted >> startup`,
    succeeded: (target) => readFileSync(target.inHome(".bashrc"), "utf8").includes("planted"),
    restore(target) {
      rmSync(join(target.workspace, "startup"), { force: true });
      target.writeHomeFiles();
    },
  },
  {
    name: "hard-link-secret",
    script: (target) => `ln ${quote(target.inHome(".ssh/id_key"))} key; cat key`,
    succeeded: (target, output) => output.includes(target.secret),
    restore: (target) => rmSync(join(target.workspace, "key"), { force: true }),
  },
  {
    name: "hard-link-startup-file",
    script: (target) => `ln ${quote(target.inHome(".bashrc"))} startup; echo planted >> startup`,
    succeeded: (target) => readFileSync(target.inHome(".bashrc"), "utf8").includes("planted"),
    restore(target) {
      rmSync(join(target.workspace, "startup"), { force: true });
      target.writeHomeFiles();
    },
  },
  {
    name: "move-secret-into-workspace",
    script: (target) => `mv ${quote(target.inHome(".netrc"))} moved; cat moved`,
    succeeded: (target, output) => output.includes(target.secret),
    restore(target) {
      rmSync(join(target.workspace, "moved"), { force: true });
      target.writeHomeFiles();
    },
  },
  {
    name: "replace-workspace-by-link",
    script: (target) =>
      `mv ${quote(target.workspace)} ${quote(`${target.workspace}-old`)}; ln -s ${quote(target.inHome(".ssh"))} ${quote(target.workspace)}; sleep 1`,
    async during(target) {
      const isLink = (): boolean => lstatSync(target.workspace, { throwIfNoEntry: false })?.isSymbolicLink() === true;
      await target.until(() => isLink() || target.isIdle, 5000);
      if (!isLink()) return;
      target.observe("replace-workspace-by-link");
      rmSync(target.workspace);
      renameSync(`${target.workspace}-old`, target.workspace);
    },
    succeeded: (target) => target.hasObserved("replace-workspace-by-link"),
  },
  protectedAttempt("write-protected-file", "echo planted > .vscode/tasks.json"),
  protectedAttempt("rename-over-protected-file", "echo planted > x; mv -f x .vscode/tasks.json"),
  protectedAttempt("move-folder-of-protected-file", "mv .vscode x; mkdir .vscode; echo planted > .vscode/tasks.json"),
  protectedAttempt(
    "link-folder-of-protected-file",
    "mkdir x; echo planted > x/tasks.json; rm -rf .vscode; ln -s x .vscode",
  ),
  {
    name: "swap-link-while-diff-is-read",
    noControl: "Fairlead reads no link of a workspace, with a sandbox or without",
    script: (target) =>
      `for i in $(seq 300); do ln -sf ${quote(target.inHome(".ssh/id_key"))} y; mv -f y file; echo x > z; mv -f z file; done`,
    async during(target) {
      while (!target.isIdle) {
        for (const path of ["diff", "files"]) {
          const { text } = await target.request("GET", `/v1/sessions/${target.hostile}/${path}`);
          if (text.includes(target.secret)) target.observe("swap-link-while-diff-is-read");
        }
      }
    },
    succeeded: (target) => target.hasObserved("swap-link-while-diff-is-read"),
    restore: (target) => createRepository(target),
  },
];

/** Changes a file of the workspace that the user's editor runs. */
function protectedAttempt(name: string, script: string): Attempt {
  const file = (target: EscapeTarget): string => join(target.workspace, ".vscode/tasks.json");
  return {
    name,
    prepare(target) {
      mkdirSync(join(target.workspace, ".vscode"));
      writeFileSync(file(target), "{}");
    },
    script: () => script,
    succeeded: (target) => existsSync(file(target)) && readFileSync(file(target), "utf8").includes("planted"),
    restore: (target) => createRepository(target),
  };
}
