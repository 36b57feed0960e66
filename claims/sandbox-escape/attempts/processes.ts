import { readFileSync } from "node:fs";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { perl, quote } from "../scripts.ts";

const ptraceNumbers: Readonly<Record<string, number>> = { x64: 101, arm64: 117 };

/** Attempts at processes outside. Each script knows their ids. */
export const processAttempts: readonly Attempt[] = [
  stopAttempt("stop-daemon", (target) => target.daemonPid),
  stopAttempt("stop-own-keeper", (target) => target.keeperPid(target.hostile)),
  stopAttempt("stop-other-agent", (target) => target.otherAgentPid),
  secretAttempt("daemon-environment", (target) => `cat /proc/${target.daemonPid}/environ`),
  secretAttempt("other-agent-environment", (target) => `cat /proc/${target.otherAgentPid}/environ`),
  secretAttempt("any-environment", () => `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep OTHER_SECRET`),
  {
    name: "daemon-descriptors",
    script: (target) => `for fd in /proc/${target.daemonPid}/fd/*; do
    case $(readlink $fd) in *journal.db*) grep -aho 'said-[0-9a-f]*' $fd;; esac; done`,
    succeeded: (target, output) => output.includes(target.said),
  },
  secretAttempt("daemon-root-folder", (target) => `cat /proc/${target.daemonPid}/root${target.inHome(".ssh/id_key")}`),
  secretAttempt(
    "parent-root-folder",
    (target) => `for pid in 1 $PPID; do cat /proc/$pid/root${target.inHome(".ssh/id_key")}; done`,
  ),
  secretAttempt("daemon-memory", (target) => memoryScript(target.daemonPid)),
  secretAttempt(
    "keeper-working-folder",
    (target) => `cat /proc/${target.keeperPid(target.hostile)}/cwd/../${target.other}/secrets.json`,
  ),
  {
    name: "trace-other-agent",
    script: (target) =>
      perl(`my $n = ${ptraceNumbers[process.arch] ?? 101};
        print syscall($n, 16, ${target.otherAgentPid}, 0, 0) == 0 ? "attached" : "refused: $!";`),
    succeeded: (_, output) => output.includes("attached"),
  },
  {
    name: "limit-daemon",
    script: (target) => `prlimit --pid ${target.daemonPid} --core=4096:`,
    succeeded: (target) =>
      /^Max core file size\s+4096\s/mu.test(readFileSync(`/proc/${target.daemonPid}/limits`, "utf8")),
  },
  {
    name: "renice-other-agent",
    script: (target) => `renice -n 19 -p ${target.otherAgentPid}`,
    succeeded: (target) =>
      readFileSync(`/proc/${target.otherAgentPid}/stat`, "utf8").split(") ")[1]?.split(" ")[16] === "19",
  },
];

function stopAttempt(name: string, pidOf: (target: EscapeTarget) => number): Attempt {
  return {
    name,
    script: (target) => `kill -STOP ${pidOf(target)}`,
    during: async (target) => {
      // The agent's end is known only if its keeper and the daemon run.
      await target.until(() => {
        if (target.processState(pidOf(target)) !== "T") return target.isIdle;
        target.observe(name);
        process.kill(pidOf(target), "SIGCONT");
        return true;
      }, 10_000);
    },
    succeeded: (target) => target.hasObserved(name),
  };
}

function secretAttempt(name: string, script: (target: EscapeTarget) => string): Attempt {
  return { name, script, succeeded: (target, output) => output.includes(target.secret) };
}

/** Looks for the secret in the writable memory of a process. */
const memoryScript = (pid: number): string =>
  `perl -e ${quote(`
    open(my $maps, "<", "/proc/${pid}/maps") or die $!;
    open(my $memory, "<", "/proc/${pid}/mem") or die $!;
    while (<$maps>) {
      next unless /^([0-9a-f]+)-([0-9a-f]+) rw/;
      my ($start, $end) = (hex($1), hex($2));
      next if $end - $start > 1 << 26;
      sysseek($memory, $start, 0) or next;
      next unless sysread($memory, my $bytes, $end - $start);
      if ($bytes =~ /(secret-[0-9a-f]{24})/) { print $1; exit }
    }`)}`;
