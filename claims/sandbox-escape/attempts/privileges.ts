import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, existsSync, readFileSync, rmdirSync } from "node:fs";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { quote } from "../scripts.ts";

const isPrivileged = "only an administrator may do it";
const isRoot = process.getuid?.() === 0;
/** The id of the user that owns the setuid program. */
const otherUser = 65_534;

/** Attempts to gain privileges, or to undo the mounts of the sandbox. */
export const privilegeAttempts: readonly Attempt[] = [
  {
    name: "setuid-program",
    ...(!isRoot && { noControl: "the claim can make no setuid program unless it runs as root" }),
    prepare(target) {
      if (!isRoot) return;
      copyFileSync("/usr/bin/id", target.inHome("id-of-other"));
      chownSync(target.inHome("id-of-other"), otherUser, otherUser);
      chmodSync(target.inHome("id-of-other"), 0o4755);
    },
    script: (target) => `${quote(target.inHome("id-of-other"))} -u`,
    succeeded: (_, output) => output.trim() === String(otherUser),
  },
  {
    name: "system-setuid-program",
    noControl: "it needs a password of another user, or an administrator",
    script: () => "su -c id root < /dev/null; mount -t tmpfs none /mnt && echo mounted",
    succeeded: (_, output) => /uid=0|mounted/u.test(output),
  },
  secretAttempt(
    "unmount-hidden-folder",
    (target) =>
      `unshare -Urm sh -c 'umount ${target.inHome(".ssh")}; umount -l ${target.inHome(".ssh")}; cat ${target.inHome(".ssh/id_key")}'`,
  ),
  secretAttempt(
    "unmount-hidden-file",
    (target) => `unshare -Urm sh -c 'umount ${target.inHome(".netrc")}; cat ${target.inHome(".netrc")}'`,
  ),
  secretAttempt(
    "bind-root-elsewhere",
    (target) => `mkdir -p m; unshare -Urm sh -c 'mount --rbind / m; cat m${target.inHome(".ssh/id_key")}'; rmdir m`,
  ),
  secretAttempt(
    "change-root",
    (target) => `unshare -Ur $(PATH=$PATH:/usr/sbin:/sbin command -v chroot) / cat ${target.inHome(".ssh/id_key")}`,
  ),
  secretAttempt("nested-sandbox", (target) => `bwrap --dev-bind / / cat ${target.inHome(".ssh/id_key")}`),
  secretAttempt(
    "enter-namespaces-of-daemon",
    (target) =>
      `unshare -Ur true; nsenter -t ${target.daemonPid} -m -U cat ${target.inHome(".ssh/id_key")} || nsenter -t ${target.daemonPid} -m cat ${target.inHome(".ssh/id_key")}`,
    isRoot ? undefined : isPrivileged,
  ),
  remountAttempt(
    "remount-home",
    (file) => `mount -o remount,rw,bind ${file}; mount -o remount,rw,bind /; echo planted >> ${file}`,
  ),
  remountAttempt(
    "overlay-home",
    (file) => `mkdir -p u w; mount --bind ${file} ${file}; mount -o remount,rw,bind ${file}; echo planted >> ${file}`,
  ),
  {
    name: "block-device",
    noControl: isPrivileged,
    script: () =>
      `mknod device b $(stat -c '%Hd %Ld' / 2>/dev/null || echo 254 0); head -c 16 device | od -x; ls /dev/vd* /dev/sd* /dev/nvme* 2>/dev/null`,
    succeeded: (_, output) => /^0000000 /mu.test(output) || /^\/dev\//mu.test(output),
  },
  {
    name: "core-pattern",
    noControl: isPrivileged,
    script: () =>
      "cat /proc/sys/kernel/core_pattern > x; cat x > /proc/sys/kernel/core_pattern && echo written; rm -f x",
    succeeded: (_, output) => output.includes("written"),
  },
  {
    name: "sysrq",
    noControl: isPrivileged,
    script: () => ": >> /proc/sysrq-trigger && echo opened",
    succeeded: (_, output) => output.includes("opened"),
  },
  {
    name: "control-groups",
    noControl: isPrivileged,
    script: (target) => `for f in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir $f/${groupName(target)}; done`,
    succeeded: (target) => groupFolders(target).some((folder) => existsSync(folder)),
  },
  {
    name: "mount-control-groups",
    ...(!isRoot && { noControl: "whether the user may write the daemon's control group depends on the machine" }),
    script: (target) =>
      `mkdir -p m; unshare -UrmC sh -c 'mount -t cgroup2 none m && mkdir m/${groupName(target)}'; rmdir m`,
    succeeded: (target) => groupFolders(target).some((folder) => existsSync(folder)),
    restore(target) {
      for (const folder of groupFolders(target)) if (existsSync(folder)) rmdirSync(folder);
    },
  },
  {
    name: "system-parameters",
    noControl: isPrivileged,
    script: () =>
      `for f in /sys/kernel/uevent_helper /sys/module/*/parameters/*; do [ -w "$f" ] && sh -c ': >> "$0"' "$f" && echo "opened $f"; done`,
    succeeded: (_, output) => output.includes("opened"),
  },
  {
    name: "host-name",
    noControl: isPrivileged,
    script: () => `unshare -Ur hostname planted-name; hostname planted-name`,
    succeeded: () => execFileSync("hostname", { encoding: "utf8" }).includes("planted-name"),
  },
  {
    name: "kernel-memory",
    noControl: isPrivileged,
    script: () => "for f in /dev/mem /dev/kmem /proc/kcore /dev/port; do head -c 4 $f | od -x; done",
    succeeded: (_, output) => /^0000000 /mu.test(output),
  },
];

const groupName = (target: EscapeTarget): string => `planted-${target.folder.split("/").at(-1)}`;

function groupFolders(target: EscapeTarget): string[] {
  const mounts = readFileSync("/proc/mounts", "utf8").matchAll(/^\S+ (\S+) cgroup2? /gmu);
  return [...mounts].map(([, folder]) => `${folder}/${groupName(target)}`);
}

function secretAttempt(name: string, script: (target: EscapeTarget) => string, noControl?: string): Attempt {
  return {
    name,
    ...(noControl !== undefined && { noControl }),
    script,
    succeeded: (target, output) => output.includes(target.secret),
  };
}

/** Makes a read-only mount writable in a user namespace of its own. */
function remountAttempt(name: string, script: (file: string) => string): Attempt {
  return {
    name,
    script: (target) => `unshare -Urm sh -c ${quote(script(target.inHome(".bashrc")))}`,
    succeeded: (target) => readFileSync(target.inHome(".bashrc"), "utf8").includes("planted"),
    restore: (target) => target.writeHomeFiles(),
  };
}
