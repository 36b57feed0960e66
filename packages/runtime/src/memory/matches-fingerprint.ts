import type { Adapter } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";
import type { Environment } from "../host/child-environment.ts";
import { fingerprintTranscript } from "../transcript/transcript-tracker.ts";

/**
 * Whether the transcript on this host begins with the one whose fingerprint the session has: the agent then continues from
 * what it had. True if the session has no fingerprint, because it was never paused or its agent keeps no transcript.
 */
export async function matchesFingerprint(
  adapter: Adapter,
  state: SessionState,
  environment: Environment,
): Promise<boolean> {
  if (state.transcript === null) return true;
  return (await fingerprintTranscript(adapter, state, environment))?.extends === true;
}
