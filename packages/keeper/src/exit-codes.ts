/** How a keeper that could not do its work says why: it prints nothing, so its exit code must. */
export const exitCodes = { failed: 1, misused: 2, alreadyKept: 3, spoolDamaged: 4 } as const;

export const exitReasons: ReadonlyMap<number, string> = new Map<number, string>([
  [exitCodes.failed, "something it did not expect went wrong"],
  [exitCodes.misused, "it was started without a folder"],
  [exitCodes.alreadyKept, "another keeper holds this folder"],
  [exitCodes.spoolDamaged, "the spool is damaged"],
]);
