/** A shell is spoken to by its arguments and says nothing but bytes: there is little to describe. */

/** `-c` takes the command as one argument and reads no start-up files. */
export const shellArguments = (command: string): string[] => ["-c", command];

/** How much of a command's output an event holds at most. The whole is in the spool. */
export const longestOutput = 256 * 1024;

/** An exit code as people know it. */
export function exitWords(code: number | null, signal: string | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
