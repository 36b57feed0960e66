import coerce from "semver/functions/coerce.js";
import lt from "semver/functions/lt.js";
import satisfies from "semver/functions/satisfies.js";
import type { Capability } from "./capability.ts";
import type { Manifest } from "./manifest.ts";
import type { Opening, ProbeResult } from "./opening.ts";
import { defaultPolicySource } from "./policy/policy.ts";
import type { SessionPolicy } from "./policy/session-policy.ts";

/**
 * Lists what an agent can do with one version of its program: what the protocol in use supports, without what the version
 * is too old for. An unknown version counts as the newest. `flags` are those of the probe's result; they decide whether
 * the adapter uses its fallback protocol. Without them the list is that of the main protocol.
 */
export function capabilitiesOf(
  manifest: Manifest,
  version: string | null,
  flags?: readonly string[],
): readonly Capability[] {
  const { fallback } = manifest;
  const isFallback = fallback !== undefined && flags !== undefined && usesFallback(fallback, flags);
  return supportedBy(manifest, version, isFallback);
}

/** Lists what an agent can do over the protocol of a session that was started. The journal has version and protocol. */
export function capabilitiesOver(manifest: Manifest, version: string | null, protocol: string): readonly Capability[] {
  return supportedBy(manifest, version, manifest.fallback?.protocol === protocol);
}

/**
 * Whether the adapter must make the agent ask about every call of a session. It must in `full-auto` with any policy, and in
 * `default` and `accept-edits` if a person wrote a rule: a rule cannot deny what is not asked about. With the default policy
 * alone, the agent's own rules decide there what it asks. They do in `plan`, and `dangerously-skip-permissions` has none.
 */
export function mustAskAboutAll(manifest: Manifest, { policy, mode, probeResult }: Opening): boolean {
  if (policy === undefined || mode === "plan" || mode === "dangerously-skip-permissions") return false;
  if (mode !== "full-auto" && !hasOwnRule(policy)) return false;
  return capabilitiesOf(manifest, probeResult.version, probeResult.flags).includes("asks-all");
}

/** Reports whether a person wrote a rule of the policy: it is not only the default one. */
export function hasOwnRule({ policies }: Pick<SessionPolicy, "policies">): boolean {
  return policies.some(({ source, rules }) => source !== defaultPolicySource && rules.length > 0);
}

function supportedBy(manifest: Manifest, version: string | null, isFallback: boolean): readonly Capability[] {
  const { since = {}, fallback } = manifest;
  const declared = isFallback && fallback !== undefined ? fallback.capabilities : manifest.capabilities;
  return declared.filter((capability) => version === null || !isOlderVersion(version, since[capability] ?? "0"));
}

/** Whether an adapter speaks its fallback protocol with a program that has these flags. Adapters decide by it too. */
export function usesFallback(
  { missingFlag, whenFlagsUnknown }: NonNullable<Manifest["fallback"]>,
  flags: readonly string[],
): boolean {
  return flags.length === 0 ? whenFlagsUnknown : !flags.includes(missingFlag);
}

/** Whether the installed version of a program can be made to ignore the manifest's `workspaceFiles`. */
export function ignoresWorkspaceFiles(
  { ignoresWorkspaceFiles: { flag, versions } = {} }: Manifest,
  { flags, version }: Pick<ProbeResult, "flags" | "version">,
): boolean {
  if (flag !== undefined && flags.length > 0 && !flags.includes(flag)) return false;
  const installed = coerce(version);
  return versions === undefined || (installed !== null && satisfies(installed, versions));
}

/** Whether a version is older than another one. A version that cannot be read is not. */
export function isOlderVersion(version: string, than: string): boolean {
  const [one, other] = [coerce(version), coerce(than)];
  return one !== null && other !== null && lt(one, other);
}
