import { FairleadError } from "@fairlead/contract";
import type { KeeperConnection, KeeperDeadlines, StartKeeperOptions, UnattendedLimits } from "@fairlead/keeper";
import { startKeeper } from "@fairlead/keeper";

/** Decides until when agents may work. For a host of a fleet, whose sessions move if it is cut off. */
export interface KeeperAttendance {
  /** The time that a keeper gives a process from its launch on, if it has not got any deadlines. */
  readonly limits: UnattendedLimits;
  /** Returns the newest deadlines; null if there are none yet. */
  deadlines(): KeeperDeadlines | null;
}

/** Returns the options with which keepers start. */
export function keeperOptionsOf(attendance: KeeperAttendance | undefined): StartKeeperOptions {
  return attendance === undefined ? {} : { unattended: attendance.limits };
}

/**
 * Throws `unavailable` if the agents of this host may not work now. Another host may have the session soon, so that an agent which
 * starts now would be stopped at once, or work beside the one there.
 */
export function assertAttended(attendance: KeeperAttendance | undefined): void {
  const deadlines = attendance?.deadlines() ?? null;
  if (deadlines === null || process.hrtime.bigint() < deadlines.freezeAt) return;
  const reason = "The servers have not confirmed in time that this host is alive.";
  throw new FairleadError("unavailable", `${reason} It starts agents again after the next confirmation.`);
}

/** Sends the newest deadlines to a keeper. */
export function attendKeeper(keeper: KeeperConnection, attendance: KeeperAttendance | undefined): void {
  const deadlines = attendance?.deadlines() ?? null;
  if (deadlines !== null) keeper.attend(deadlines);
}

/**
 * Sends the newest deadlines to the keeper of a session that this process has not claimed. What an earlier process announced must
 * not last longer than this one, and the agent gets no more time, because another host may claim the session first.
 */
export function shortenAttendance(keeper: KeeperConnection, attendance: KeeperAttendance | undefined): void {
  const deadlines = attendance?.deadlines() ?? null;
  if (deadlines !== null) keeper.attend({ ...deadlines, onlyShortens: true });
}

/** Starts a keeper that knows the newest deadlines. */
export async function startAttendedKeeper(
  folder: string,
  attendance: KeeperAttendance | undefined,
): Promise<KeeperConnection> {
  const keeper = await startKeeper(folder, keeperOptionsOf(attendance));
  attendKeeper(keeper, attendance);
  return keeper;
}
