import { tightenLimits, type SpendingLimits } from "@fairlead/contract";

/**
 * Chooses the limits of a session to start. The caller's take precedence over those of the workspace file, kind by kind. A
 * caller that may not approve cannot raise a limit of the file.
 */
export function chooseLimits(
  requested: SpendingLimits | undefined,
  ofWorkspace: SpendingLimits | undefined,
  approvalsRequired: boolean,
): SpendingLimits | undefined {
  if (requested === undefined || ofWorkspace === undefined) return requested ?? ofWorkspace;
  return approvalsRequired ? tightenLimits(requested, ofWorkspace) : { ...ofWorkspace, ...requested };
}
