/** What a system's own keeper of services has to know to run the daemon for a user. */
export interface Service {
  /** The command that stays in the foreground, with absolute paths, as a list of words. */
  readonly command: readonly [program: string, ...args: string[]];
  /** What the daemon's environment needs beyond the system's: where Fairlead's home is, and where agents are found. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where to write what it says, where the system has no journal of its own. */
  readonly log: string;
}
