import { capabilitiesOf, FairleadError, findReachedLimit } from "@fairlead/contract";
import type { Manifest, ProbeResult, SpendingLimits, Spent } from "@fairlead/contract";

/** Throws `not-supported` for a limit of what the agent does not report: nothing could keep it. */
export function assertLimitsKeepable(
  manifest: Manifest,
  { version, flags }: Pick<ProbeResult, "version" | "flags">,
  limits: SpendingLimits,
): void {
  const uncounted = listUncountedLimits(manifest, { version, flags }, limits);
  if (uncounted.length === 0) return;
  const problem = `${manifest.label} does not report what it uses, so a limit of ${uncounted.join(" and ")} cannot be kept.`;
  throw new FairleadError("not-supported", `${problem} Limit the time instead: --limit 30m`);
}

/** Removes limits of what the agent does not report. For limits that were not made for this agent. */
export function keepableLimits(
  manifest: Manifest,
  probeResult: Pick<ProbeResult, "version" | "flags">,
  limits: SpendingLimits,
): SpendingLimits {
  const uncounted: readonly string[] = listUncountedLimits(manifest, probeResult, limits);
  return Object.fromEntries(Object.entries(limits).filter(([kind]) => !uncounted.includes(kind)));
}

/** Lists the kinds of limits that need reports which the agent does not make. */
function listUncountedLimits(
  manifest: Manifest,
  { version, flags }: Pick<ProbeResult, "version" | "flags">,
  { usd, tokens }: SpendingLimits,
): ("usd" | "tokens")[] {
  const capabilities = capabilitiesOf(manifest, version, flags);
  const hasUsage = capabilities.includes("usage");
  const hasCost = capabilities.includes("cost");
  return [
    // The cost of tokens can be estimated.
    ...(usd !== undefined && !hasCost && !hasUsage ? ["usd" as const] : []),
    ...(tokens !== undefined && !hasUsage ? ["tokens" as const] : []),
  ];
}

/** Creates the error for a change of limits of which more is used already. */
export function limitBelowUse(limits: SpendingLimits, spent: Spent): FairleadError {
  const message = `The session has used ${describeReached(limits, spent)}.`;
  return new FairleadError("limit-reached", `${message} Choose a higher limit: fairlead resume SESSION --limit LIMIT`);
}

/** Describes the first limit of which everything is used: `1.2 of 1 seconds`. Empty if there is none. */
function describeReached(limits: SpendingLimits, spent: Spent): string {
  const kind = findReachedLimit(limits, spent);
  return kind === null ? "" : `${Number(spent[kind].toFixed(4))} of ${limits[kind]} ${kind}`;
}

/** Throws `limit-reached` for the continuation of a session that has used all it may. */
export function assertLimitsLeft({ limits = {}, spent }: { limits?: SpendingLimits; spent?: Spent | undefined }): void {
  const used = spent === undefined ? "" : describeReached(limits, spent);
  if (used === "") return;
  const message = `The session that this one continues has used what its limit allows: ${used}.`;
  throw new FairleadError("limit-reached", `${message} Raise the limit with: fairlead resume SESSION --limit LIMIT`);
}
