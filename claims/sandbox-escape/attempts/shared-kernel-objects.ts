import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { perl } from "../scripts.ts";

const keyctlNumbers: Readonly<Record<string, number>> = { x64: 250, arm64: 219 };

/** Attempts at what processes share besides files: descriptors, terminals, shared memory and keys. */
export const sharedKernelObjectAttempts: readonly Attempt[] = [
  {
    name: "inherited-descriptors",
    noControl: "Fairlead passes no descriptor to an agent, with a sandbox or without",
    script: () => "for fd in /proc/$$/fd/*; do case ${fd##*/} in 0|1|2|255) ;; *) readlink $fd;; esac; done",
    succeeded: (_, output) => /\S/u.test(output),
  },
  {
    name: "parent-process-channel",
    noControl: "Fairlead opens no such channel",
    script: () => `env | grep -i NODE_CHANNEL; ls -l /proc/$PPID/fd | grep -v -e 'pipe:' -e /dev/null -e total`,
    succeeded: (_, output) => /NODE_CHANNEL|socket:|\/h\//u.test(output),
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
    prepare: (target) => addKey(target, -4),
    script: () => readKey(-4, "planted-user-key"),
    succeeded: (target, output) => output.includes(target.secret),
  },
  {
    name: "session-key",
    noControl: "the claim has no session keyring that the daemon inherits, see session-keyring.ts",
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

/** Adds a key to a keyring of this process: -4 is the user's, -3 the session's. */
function addKey(target: EscapeTarget, ring: number): void {
  const number = { x64: 248, arm64: 217 }[process.arch as "x64" | "arm64"] ?? 248;
  const code = `my ($t, $d, $p) = ("user", "planted-user-key", $ENV{SECRET}); exit(syscall(${number}, $t, $d, $p, length($p), ${ring}) < 0)`;
  execFileSync("perl", ["-e", code], { env: { ...process.env, SECRET: target.secret } });
}

/** Searches a keyring for a key and prints it. */
function readKey(ring: number, name: string): string {
  const number = keyctlNumbers[process.arch] ?? 250;
  return perl(`my ($t, $d, $b) = ("user", "${name}", "\\0" x 100);
    my $key = syscall(${number}, 10, ${ring}, $t, $d, 0);
    die "not found: $!" if $key < 0;
    my $length = syscall(${number}, 11, $key, $b, 100);
    print substr($b, 0, $length);`);
}
