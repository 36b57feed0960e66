import type { EventOf } from "@fairlead/contract";

/** The exit codes of the command. */
export const cliExitCodes = {
  success: 0,
  failed: 1,
  usageError: 2,
  /** A limit stopped the turn. */
  limited: 3,
  /** The session waits for a person's answer. */
  waiting: 4,
  /** There is no such session. */
  notFound: 5,
  /** The turn completed, and everything that the agent asked for was denied. */
  denied: 6,
  interrupted: 130,
} as const;

/** The exit code for each outcome of a turn. */
export const exitCodeByOutcome: Readonly<Record<EventOf<"turn.ended">["outcome"], number>> = {
  completed: cliExitCodes.success,
  failed: cliExitCodes.failed,
  limited: cliExitCodes.limited,
  interrupted: cliExitCodes.interrupted,
};
