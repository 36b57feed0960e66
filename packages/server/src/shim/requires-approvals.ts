import type { PermissionMode } from "@fairlead/contract";
import type { ShimOptions } from "./shim.ts";

/**
 * Whether a session of the shim must ask for approvals. The service then refuses a mode, an agent or a setting that does
 * not. A brief is data from a client and cannot turn approvals off; the person who starts the shim can.
 */
export function requiresApprovals(
  mode: PermissionMode,
  { allowedModes = [] }: Pick<ShimOptions, "allowedModes">,
): boolean {
  return !allowedModes.includes(mode) && !allowedModes.includes("dangerously-skip-permissions");
}
