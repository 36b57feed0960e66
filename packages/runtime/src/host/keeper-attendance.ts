import type { KeeperConnection, KeeperDeadlines, StartKeeperOptions, UnattendedLimits } from "@fairlead/keeper";
import { startKeeper } from "@fairlead/keeper";

/** Decides until when agents may work. For a host of a fleet, whose sessions move if it is cut off. */
export interface KeeperAttendance {
  /** The time that each keeper gives a process from its launch on. */
  readonly limits: UnattendedLimits;
  /** Returns the newest deadlines; null if there are none yet. */
  deadlines(): KeeperDeadlines | null;
}

/** Returns the options with which keepers start. */
export function keeperOptionsOf(attendance: KeeperAttendance | undefined): StartKeeperOptions {
  return attendance === undefined ? {} : { unattended: attendance.limits };
}

/** Sends the newest deadlines to a keeper. */
export function attendKeeper(keeper: KeeperConnection, attendance: KeeperAttendance | undefined): void {
  const deadlines = attendance?.deadlines() ?? null;
  if (deadlines !== null) keeper.attend(deadlines);
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
