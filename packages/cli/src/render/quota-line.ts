import { toOneLine } from "@fairlead/api";
import type { EventOf } from "@fairlead/contract";

/** Describes a quota of which most or all is used. Null for one of which enough is left. */
export function quotaLine({ status, window, usedPercent, resetsAt }: EventOf<"quota.reported">): string | null {
  if (status === "available") return null;
  const used = usedPercent === undefined ? "" : ` (${usedPercent} % used)`;
  const reset = resetsAt === undefined ? "" : `, resets at ${resetsAt}`;
  const state = status === "exhausted" ? "is exhausted" : "is nearly exhausted";
  return `· The vendor's quota${window === undefined ? "" : ` ${toOneLine(window)}`} ${state}${used}${reset}`;
}
