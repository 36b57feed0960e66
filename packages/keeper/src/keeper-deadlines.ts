/** Until when the agents of a keeper may work. Times are nanoseconds on the monotonic clock of this machine. */
export interface KeeperDeadlines {
  /**
   * When the deadlines were known to be true. A keeper follows the newest ones, whatever the order in which they arrive: a host
   * that comes back early shortens what its earlier process announced.
   */
  readonly confirmedAt: bigint;
  /** When the keeper stops all processes of its agents. Later deadlines continue them. */
  readonly freezeAt: bigint;
  /** When the keeper ends its agents. */
  readonly endAt: bigint;
  /** Whether a keeper keeps the earlier times that it has. For a client that does not have the session yet. */
  readonly onlyShortens?: boolean;
}

/**
 * The milliseconds from the launch of a process to its deadlines, in a keeper to which no client has sent any. A keeper with limits
 * ends agents that nothing attends.
 */
export interface UnattendedLimits {
  readonly freezeMs: number;
  readonly endMs: number;
}

/** The variable that gives a keeper its limits, as `freezeMs,endMs`. */
export const unattendedVariable = "FAIRLEAD_UNATTENDED";

export function formatUnattendedLimits({ freezeMs, endMs }: UnattendedLimits): string {
  return `${freezeMs},${endMs}`;
}

/** Returns the limits of a variable, or undefined without it. Throws if it is not valid: agents would not be limited. */
export function parseUnattendedLimits(text: string | undefined): UnattendedLimits | undefined {
  if (text === undefined || text === "") return undefined;
  const match = /^(\d{1,9}),(\d{1,9})$/.exec(text);
  if (match === null) throw new Error(`${unattendedVariable} is not two numbers of milliseconds: ${text}`);
  return { freezeMs: Number(match[1]), endMs: Number(match[2]) };
}
