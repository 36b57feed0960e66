/** Returns the arguments that run a command. `-c` takes it as one argument and reads no start-up files. */
export const shellArguments = (command: string): string[] => ["-c", command];

/** The maximum length of the output at the end of a call. The text of the turn contains all of it. */
export const maxOutputLength = 256 * 1024;

/** Describes an exit by its code or its signal. */
export function describeShellExit(code: number | null, signal: string | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
