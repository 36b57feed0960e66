import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { keyCalls, perl } from "../scripts.ts";

/** Attempts at what processes share besides files: descriptors, terminals, shared memory and keys. */
export const sharedKernelObjectAttempts: readonly Attempt[] = [
  {
    name: "descriptor-of-daemon-start",
    noControl: "a keeper closes what it inherited, with a sandbox or without",
    script: () => "cat /proc/self/fd/200; head -c 100 <&200",
    succeeded: (target, output) => output.includes(target.secret),
  },
  {
    name: "descriptors-of-keeper",
    noControl: "Fairlead opens none for an agent, with a sandbox or without",
    script: () =>
      `env | grep NODE_CHANNEL_FD; for fd in /proc/[0-9]*/fd/*; do
        case $fd in /proc/*/fd/[0-2]|/proc/self/*|/proc/thread-self/*) continue;; esac
        case $(readlink $fd) in */keeper.sock*|*/spool/*|*journal.db*|*/daemon/*|socket:*) readlink $fd;; esac
      done`,
    succeeded: (_, output) => /\S/u.test(output),
  },
  {
    name: "type-into-terminal",
    noControl: "an agent has no controlling terminal, with a sandbox or without",
    script: () =>
      perl(`open(my $tty, "+<", "/dev/tty") or die "no terminal: $!";
        my $c = "x"; print ioctl($tty, 0x5412, $c) ? "typed" : "refused: $!"; print "opened";`),
    succeeded: (_, output) => /typed|opened/u.test(output),
  },
  {
    name: "write-to-user-terminal",
    prepare: (target) => target.startTmux(target.inHome("terminal.sock")),
    script: (target) =>
      `echo planted-words > ${target.tmux(target.inHome("terminal.sock"), "display", "-p", "#{pane_tty}").trim()}`,
    succeeded: (target) =>
      target.until(
        () => target.tmux(target.inHome("terminal.sock"), "capture-pane", "-p").includes("planted-words"),
        1000,
      ),
  },
  {
    name: "shared-memory-file",
    prepare: (target) => writeFileSync(sharedFile(target), "before"),
    script: (target) => `echo planted > ${sharedFile(target)}`,
    succeeded: (target) => readFileSync(sharedFile(target), "utf8").includes("planted"),
    restore: (target) => rmSync(sharedFile(target)),
  },
  {
    name: "shared-memory-segment",
    prepare(target) {
      const id = Number(execFileSync("ipcmk", ["-M", "64", "-p", "600"], { encoding: "utf8" }).replaceAll(/\D/gu, ""));
      target.note("segment", id);
      target.hold({ [Symbol.asyncDispose]: async () => void execFileSync("ipcrm", ["-m", String(id)]) });
    },
    script: (target) => perl(`shmwrite(${target.noted("segment")}, "planted", 0, 7) or die $!;`),
    succeeded: (target) =>
      execFileSync("perl", ["-e", `shmread(${target.noted("segment")}, my $text, 0, 7); print $text`]).includes(
        "planted",
      ),
  },
  {
    name: "message-queue",
    prepare(target) {
      const id = Number(execFileSync("ipcmk", ["-Q", "-p", "600"], { encoding: "utf8" }).replaceAll(/\D/gu, ""));
      target.note("queue", id);
      target.hold({ [Symbol.asyncDispose]: async () => void execFileSync("ipcrm", ["-q", String(id)]) });
    },
    script: (target) => perl(`msgsnd(${target.noted("queue")}, pack("l! a*", 1, "planted"), 04000) or die $!;`),
    succeeded: (target) =>
      execFileSync("perl", ["-e", `msgrcv(${target.noted("queue")}, my $text, 64, 0, 04000); print $text`]).includes(
        "planted",
      ),
  },
  {
    name: "user-key",
    prepare: addUserKey,
    script: () => readKey(-4, "planted-user-key"),
    succeeded: (target, output) => output.includes(target.secret),
  },
  {
    name: "session-key",
    script: () => readKey(-3, "planted-session-key"),
    succeeded: (target, output) => output.includes(target.secret),
  },
  {
    name: "machine-devices",
    noControl: "which devices a user may open depends on the machine",
    script: () =>
      "find /dev -type b -o -type c | grep -v -E '^/dev/(null|zero|full|random|urandom|tty|console|ptmx|pts/.*)$'",
    succeeded: (_, output) => output.includes("/dev/"),
  },
];

const sharedFile = (target: EscapeTarget): string => `/dev/shm/escape-${target.folder.split("/").at(-1)}`;

/** Adds a key to the user's keyring until the attempt has ended. */
function addUserKey(target: EscapeTarget): void {
  const code = `my ($t, $d, $p) = ("user", "planted-user-key", $ENV{SECRET});
    print syscall(${keyCalls.add}, $t, $d, $p, length($p), -4)`;
  const env = { ...process.env, SECRET: target.secret };
  const key = Number(execFileSync("perl", ["-e", code], { env, encoding: "utf8" }));
  const unlink = `syscall(${keyCalls.join}, 9, ${key}, -4)`;
  target.hold({ [Symbol.asyncDispose]: async () => void execFileSync("perl", ["-e", unlink]) });
}

/** Searches a keyring for a key and prints it: -4 is the user's, -3 the session's. */
function readKey(ring: number, name: string): string {
  return perl(`my ($t, $d, $b) = ("user", "${name}", "\\0" x 100);
    syscall(${keyCalls.join}, 8, -4, -3); # only keys of the own session's keyring can be read
    my $key = syscall(${keyCalls.join}, 10, ${ring}, $t, $d, 0);
    die "not found: $!" if $key < 0;
    my $length = syscall(${keyCalls.join}, 11, $key, $b, 100);
    print substr($b, 0, $length);`);
}
