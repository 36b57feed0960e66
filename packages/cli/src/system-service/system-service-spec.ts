/** What a service manager needs to run the daemon for a user. */
export interface SystemServiceSpec {
  /** The foreground command with absolute paths, as a list of words. */
  readonly command: readonly [program: string, ...args: string[]];
  /** The variables to add to the system's: the data directory, and the path to the agents. */
  readonly environment: Readonly<Record<string, string>>;
  /** The log file, for a system that does not collect output itself. */
  readonly log: string;
}
