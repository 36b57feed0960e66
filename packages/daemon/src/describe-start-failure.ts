/** Starts the line of the log that says why the daemon did not start. */
export const startFailurePrefix = "fairlead: ";

/** Describes why the daemon did not start, in one line, and what to type. */
export function describeStartFailure(error: unknown, listen: string | null): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE" && listen !== null) {
    return `Another process uses the address ${listen}. Select any free port with: fairlead up --listen 127.0.0.1:0`;
  }
  if (code === "EACCES" && listen !== null && message.startsWith("listen"))
    return `This user may not listen on ${listen}. Select any free port with: fairlead up --listen 127.0.0.1:0`;
  return message.split("\n", 1)[0] ?? message;
}

/** Finds the reason in what a daemon wrote to its log before it exited. Returns null if it wrote none. */
export function findStartFailure(log: string): string | null {
  const line = log.split("\n").findLast((one) => one.startsWith(startFailurePrefix));
  if (line !== undefined) return line.slice(startFailurePrefix.length);
  // The process failed before it could describe the error. Node prints it after the place in the source.
  return log.split("\n").findLast((one) => /^[A-Za-z]*Error\b.*:/.test(one.slice(0, 200))) ?? null;
}
