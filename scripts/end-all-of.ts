import { globSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

const patience = 5000;

/** Ends whatever was started with this home and goes on by design, and waits until it is gone. */
export async function endAllOf(home: string): Promise<void> {
  const deadline = performance.now() + patience;
  for (let left = allOf(home); left.length > 0; left = allOf(home)) {
    const isLate = performance.now() > deadline;
    for (const pid of left) end(pid, isLate ? "SIGKILL" : "SIGTERM");
    await wait(50);
  }
}

function allOf(home: string): number[] {
  return globSync("/proc/[0-9]*/environ").flatMap((file) => {
    try {
      const isOurs = readFileSync(file, "latin1").split("\0").includes(`HOME=${home}`);
      return isOurs ? [Number(file.split("/")[2])] : [];
    } catch {
      return []; // somebody else's, or gone
    }
  });
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has gone by itself.
  }
}
