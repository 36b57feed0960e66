import type { EventOf } from "@fairlead/contract";

/** What the shell is told. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  /** A limit has stopped the turn. */
  limited: 3,
  /** It waits for somebody's answer. */
  waiting: 4,
  /** There is no such session. */
  notFound: 5,
  interrupted: 130,
} as const;

/** The exit code for the way in which a turn ended. */
export const exitCodeOf: Readonly<Record<EventOf<"turn.ended">["outcome"], number>> = {
  completed: exitCodes.done,
  failed: exitCodes.failed,
  limited: exitCodes.limited,
  interrupted: exitCodes.interrupted,
};
