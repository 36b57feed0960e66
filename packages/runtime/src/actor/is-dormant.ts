import { isOpen } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";

/** Whether no process runs and none is to be launched, so that the keeper may exit. */
export function isDormant({ ledger, running, launching, desiredState }: SessionState): boolean {
  return !running && !launching && (ledger.over || (desiredState === "pause" && isOpen(ledger, "pause")));
}
