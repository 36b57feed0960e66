import { capabilitiesOf, FairleadError, isOpen, type Manifest } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";

/**
 * Throws `session-ended` or `session-paused` if no agent of a session runs that could leave its host, and `conflict` if the agent
 * cannot be resumed: it would neither continue on the next host nor, if no host takes the session, on this one.
 */
export function assertMayLeave(
  session: string,
  { ledger, stoppedFor, opening }: Pick<SessionState, "ledger" | "stoppedFor" | "opening">,
  manifest: Manifest,
): void {
  if (ledger.over) throw new FairleadError("session-ended", `Session ${session} has ended.`);
  if (isOpen(ledger, "pause") && stoppedFor !== "moved")
    throw new FairleadError("session-paused", `Session ${session} is paused.`);
  const { version = null, flags } = opening?.probeResult ?? {};
  const { messages = "conversation" } = manifest;
  if (messages !== "conversation" || capabilitiesOf(manifest, version, flags).includes("resume")) return;
  const message = `${manifest.label} cannot continue a conversation in another process.`;
  throw new FairleadError("conflict", message);
}
