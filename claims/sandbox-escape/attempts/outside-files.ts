import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { quote } from "../scripts.ts";

const isPrivileged = "only an administrator may write there";

/** Attempts to write files outside the workspace. */
export const outsideFileAttempts: readonly Attempt[] = [
  writeAttempt("write-shell-startup", (target) => target.inHome(".bashrc")),
  writeAttempt("write-login-startup", (target) => target.inHome(".profile")),
  writeAttempt("write-autostart", (target) => target.inHome(".config/autostart/planted.desktop")),
  writeAttempt("write-user-service", (target) => target.inHome(".config/systemd/user/planted.service")),
  writeAttempt("write-authorized-keys", (target) => target.inHome(".ssh/authorized_keys")),
  writeAttempt("write-user-program", (target) => target.inHome(".local/bin/git")),
  writeAttempt("write-agent-program", (target) => target.inHome("bin/planted")),
  writeAttempt("write-compiled-code", (target) => target.inHome(".cache/fairlead/planted")),
  writeAttempt("write-other-workspace", (target) => target.inHome("other/notes")),
  writeAttempt("write-beside-workspace", (target) => `${target.workspace}-planted`),
  writeAttempt("write-shared-temporary", (target) => `/var/tmp/${token(target)}`),
  writeAttempt("write-temporary", (target) => join(target.temporaryFolder, "planted")),
  writeAttempt("write-etc", (target) => `/etc/${token(target)}`, isPrivileged),
  writeAttempt("write-cron", (target) => `/etc/cron.d/${token(target)}`, isPrivileged),
  writeAttempt("write-crontab", (target) => `/var/spool/cron/crontabs/${token(target)}`, isPrivileged),
  writeAttempt("write-system-program", (target) => `/usr/local/bin/${token(target)}`, isPrivileged),
  writeAttempt("write-root-folder", (target) => `/${token(target)}`, isPrivileged),
  {
    name: "delete-other-workspace",
    script: (target) => `rm -rf ${quote(target.inHome("other/notes"))}`,
    succeeded: (target) => !existsSync(target.inHome("other/notes")),
    restore: (target) => target.writeHomeFiles(),
  },
  readAttempt("read-key", ".ssh/id_key"),
  readAttempt("read-password-file", ".netrc"),
];

/** A name that no other file has. */
const token = (target: EscapeTarget): string => `planted-${target.folder.split("/").at(-1)}`;

function writeAttempt(name: string, fileOf: (target: EscapeTarget) => string, noControl?: string): Attempt {
  return {
    name,
    ...(noControl !== undefined && { noControl }),
    script(target) {
      const file = quote(fileOf(target));
      return `mkdir -p "$(dirname ${file})"; echo planted >> ${file}`;
    },
    succeeded(target) {
      const file = fileOf(target);
      return existsSync(file) && readFileSync(file, "utf8").includes("planted");
    },
    restore(target) {
      rmSync(fileOf(target), { force: true });
      target.writeHomeFiles();
    },
  };
}

function readAttempt(name: string, file: string): Attempt {
  return {
    name,
    script: (target) => `cat ${quote(target.inHome(file))}`,
    succeeded: (target, output) => output.includes(target.secret),
  };
}
