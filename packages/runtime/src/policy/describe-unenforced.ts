import {
  capabilitiesOf,
  defaultPolicySource,
  type Manifest,
  type Opening,
  type ProbeResult,
  type SessionPolicy,
} from "@fairlead/contract";

/**
 * Says which rules of a person the agent cannot be held to, because it does not ask before it acts. Null if there are none:
 * rules that only allow lose nothing.
 */
export function describeUnenforced(
  manifest: Manifest,
  { policies }: Pick<SessionPolicy, "policies">,
  { mode, probeResult }: Pick<Opening, "mode"> & { readonly probeResult: Pick<ProbeResult, "version" | "flags"> },
): string | null {
  const sources = policies
    .filter(({ source, rules }) => source !== defaultPolicySource && rules.some(({ verdict }) => verdict !== "allow"))
    .map(({ source }) => source)
    .join(" and ");
  if (sources === "") return null;
  const { label } = manifest;
  const capabilities = capabilitiesOf(manifest, probeResult.version, probeResult.flags);
  if (!capabilities.includes("approvals"))
    return `${label} never asks before it acts, so no rule of ${sources} is enforced. Only its sandbox limits it.`;
  if (mode === "dangerously-skip-permissions")
    return `In the mode ${mode}, ${label} asks about nothing, so no rule of ${sources} is enforced.`;
  return capabilities.includes("asks-all")
    ? null
    : `${label} does not ask about every call. The rules of ${sources} are enforced only for the calls that it asks about.`;
}
