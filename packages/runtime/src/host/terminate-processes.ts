/** Sends SIGTERM to processes. One that has exited is skipped. */
export function terminateProcesses(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGTERM");
    } catch {
      // The process has exited.
    }
  }
}
