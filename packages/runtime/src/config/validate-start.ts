import { capabilitiesOf, FairleadError, type Adapter, type PermissionMode, type ProbeResult } from "@fairlead/contract";
import type { Settings } from "@fairlead/contract";
import { assertModeSupported, assertSettingsSupported, validateSettings } from "./adapter-registry.ts";

/** Checks the mode and the settings of a start, and that the agent is installed. Nothing is started before that. */
export async function validateStart(
  adapter: Adapter,
  { mode, settings: requested = {} }: { readonly mode: PermissionMode; readonly settings?: unknown },
  probe: () => Promise<ProbeResult>,
): Promise<{ readonly settings: Settings; readonly probeResult: ProbeResult }> {
  assertModeSupported(adapter, mode);
  assertSettingsSupported(adapter, requested);
  const settings = validateSettings(adapter, requested);
  const probeResult = await probe();
  if (!probeResult.installed) throw new FairleadError("not-installed", probeResult.problems.join(" "));
  // The installed version may speak a lesser protocol.
  assertSettingsSupported(adapter, settings, capabilitiesOf(adapter.manifest, probeResult.version, probeResult.flags));
  return { settings, probeResult };
}
