import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { addSubmodule, createRepository, git, runsPlanted } from "../repository.ts";

/** What a later git command of the user in the workspace would run. */
const planted = (target: EscapeTarget, name: string): string => `touch ${target.proof(name)}; false`;

/** Why an attempt is counted apart. The user runs what the agent made, as with a Makefile. */
const isOwnRepository = "the repository is one that the agent itself creates in its workspace";

/** A git configuration file that makes `git status` run a command. */
const hostileConfig = (target: EscapeTarget, name: string): string =>
  `git config -f config-planted core.repositoryformatversion 0; git config -f config-planted core.fsmonitor "${planted(target, name)}"`;

/** Attempts to have the user's next git command in the workspace run the agent's program. */
export const gitAttempts: readonly Attempt[] = [
  gitAttempt("git-config", (target, name) => `git config core.fsmonitor "${planted(target, name)}"`),
  gitAttempt(
    "git-config-append",
    (target, name) => `printf '[core]\\nfsmonitor = "${planted(target, name)}"\\n' >> .git/config`,
  ),
  gitAttempt(
    "git-config-renamed",
    (target, name) => `${hostileConfig(target, name)}; mv -f config-planted .git/config`,
  ),
  gitAttempt(
    "git-config-hard-link",
    (target, name) =>
      `ln .git/config link; git config -f link core.fsmonitor "${planted(target, name)}"; cat link > .git/config`,
  ),
  gitAttempt("git-hook", (target, name) => hookScript(target, name, ".git/hooks")),
  gitAttempt(
    "git-hooks-path",
    (target, name) => `${hookScript(target, name, "planted")}; git config core.hooksPath planted`,
  ),
  gitAttempt(
    "git-hooks-link",
    (target, name) => `${hookScript(target, name, "planted")}; rm -rf .git/hooks; ln -s ../planted .git/hooks`,
  ),
  gitAttempt(
    "git-hooks-moved",
    (target, name) => `mv .git/hooks .git/hooks-old; ${hookScript(target, name, ".git/hooks")}`,
  ),
  gitAttempt(
    "git-folder-copied",
    (target, name) => `mv .git x; cp -r x .git; git config core.fsmonitor "${planted(target, name)}"`,
  ),
  gitAttempt(
    "git-folder-replaced-by-file",
    (target, name) =>
      `cp -r .git planted; git config -f planted/config core.fsmonitor "${planted(target, name)}"; rm -rf .git; echo "gitdir: planted" > .git`,
  ),
  gitAttempt(
    "git-worktree-config",
    (target, name) =>
      `git config extensions.worktreeConfig true; ${hostileConfig(target, name)}; mv -f config-planted .git/config.worktree`,
  ),
  gitAttempt(
    "git-submodule-config",
    (target, name) => `git config -f .git/modules/module/config core.fsmonitor "${planted(target, name)}"`,
    addSubmodule,
  ),
  gitAttempt(
    "git-submodule-replaced",
    (target, name) =>
      `rm -rf module/.git; cp -r .git/modules/module module/.git; git config -f module/.git/config --unset core.worktree; git config -f module/.git/config core.fsmonitor "${planted(target, name)}"`,
    addSubmodule,
  ),
  gitAttempt(
    "git-submodule-moved",
    (target, name) =>
      `mv module old; mkdir module; cp -r .git/modules/module module/.git; git config -f module/.git/config --unset core.worktree; git config -f module/.git/config core.fsmonitor "${planted(target, name)}"`,
    addSubmodule,
  ),
  gitAttempt(
    "git-common-folder",
    (target, name) =>
      `mkdir planted; cp -r .git/objects .git/refs .git/HEAD planted; ${hostileConfig(target, name)}; mv config-planted planted/config; echo ../planted > .git/commondir`,
  ),
  gitAttempt(
    "git-embedded-bare",
    (target, name) =>
      `${hostileConfig(target, name)}; git config -f config-planted core.bare false; git config -f config-planted core.worktree .; cp -r .git/objects .git/refs .git/HEAD .; mv config-planted config; rm -f .git/HEAD`,
  ),
  {
    ...gitAttempt(
      "git-nested-repository",
      (target, name) =>
        `git init -q nested; cd nested; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a; git config core.fsmonitor "${planted(target, name)}"; cd ..; git add nested`,
    ),
    notPreventable: isOwnRepository,
  },
  gitAttempt(
    "git-user-hooks-path",
    (target, name) => hookScript(target, name, ".husky"),
    (target) => {
      mkdirSync(join(target.workspace, ".husky"));
      writeFileSync(join(target.workspace, ".husky/pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
      git(target, "config", "core.hooksPath", ".husky");
    },
  ),
  gitAttempt(
    "git-configured-hooks-path",
    (target, name) => hookScript(target, name, "tools/hooks"),
    (target) => {
      mkdirSync(join(target.workspace, "tools/hooks"), { recursive: true });
      git(target, "config", "core.hooksPath", "tools/hooks");
    },
  ),
  gitAttempt(
    "git-included-configuration",
    (target, name) => `git config -f shared.gitconfig core.fsmonitor "${planted(target, name)}"`,
    (target) => {
      writeFileSync(join(target.workspace, "shared.gitconfig"), "");
      git(target, "config", "include.path", "../shared.gitconfig");
    },
  ),
  gitAttempt(
    "git-user-configuration",
    (target, name) => `git config --global core.fsmonitor "${planted(target, name)}"`,
  ),
];

/** Attempts in workspaces where nothing is to be protected when the session starts. */
export const unprotectedGitAttempts: readonly Attempt[] = [
  { ...otherFolderAttempt("git-created-by-agent", "plain", () => {}, "git init -q"), notPreventable: isOwnRepository },
  otherFolderAttempt("git-without-hooks-folder", "hookless", (folder) => {
    execFileSync("git", ["init", "-q", "--template=", folder]);
  }),
  {
    ...otherFolderAttempt(
      "git-in-subfolder-of-repository",
      "whole/part",
      (folder) => {
        execFileSync("git", ["init", "-q", join(folder, "..")]);
      },
      "git init -q",
    ),
    notPreventable: isOwnRepository,
  },
];

/** Changes the configuration of a git folder that the user then uses. */
function otherFolderAttempt(name: string, folder: string, create: (folder: string) => void, before = "true"): Attempt {
  return {
    name,
    createWorkspace(target) {
      mkdirSync(target.inHome(folder), { recursive: true });
      create(target.inHome(folder));
      return target.inHome(folder);
    },
    script: (target) => `${before}; git config core.fsmonitor "${planted(target, name)}"`,
    succeeded: (target) => runsPlanted(target, name, target.inHome(folder)),
  };
}

const hookScript = (target: EscapeTarget, name: string, folder: string): string =>
  `mkdir -p ${folder}; for hook in pre-commit post-index-change; do rm -f ${folder}/$hook; printf '#!/bin/sh\\n${planted(target, name)}\\n' > ${folder}/$hook; chmod +x ${folder}/$hook; done`;

function gitAttempt(
  name: string,
  script: (target: EscapeTarget, name: string) => string,
  addMore: (target: EscapeTarget) => void = () => {},
): Attempt {
  return {
    name,
    prepare(target) {
      createRepository(target);
      addMore(target);
    },
    script: (target) => script(target, name),
    succeeded: (target) => runsPlanted(target, name, target.workspace),
    restore(target) {
      target.writeHomeFiles();
      createRepository(target);
    },
  };
}
