import { globSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds between the first SIGTERM and SIGKILL. */
const gracePeriod = 5000;

/** Ends all processes with this HOME, such as a daemon and its keepers, and waits until they have exited. */
export async function endProcessesOfHome(home: string): Promise<void> {
  const deadline = performance.now() + gracePeriod;
  for (let remaining = findProcesses(home); remaining.length > 0; remaining = findProcesses(home)) {
    const isLate = performance.now() > deadline;
    for (const pid of remaining) sendSignal(pid, isLate ? "SIGKILL" : "SIGTERM");
    await wait(50);
  }
}

function findProcesses(home: string): number[] {
  return globSync("/proc/[0-9]*/environ").flatMap((file) => {
    try {
      const isOurs = readFileSync(file, "latin1").split("\0").includes(`HOME=${home}`);
      return isOurs ? [Number(file.split("/")[2])] : [];
    } catch {
      return []; // The process has exited, or belongs to another user.
    }
  });
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already exited.
  }
}
