import type { Fairlead } from "@fairlead/api";
import { findModelMaker } from "@fairlead/runtime";

/** Names for a service that is not known. */
const unknownProviders: ReadonlySet<string> = new Set(["", "unknown"]);

/**
 * Finds a vendor that answered both a builder and the reviewer. The model that an agent reports says who made it. If that is
 * not known, the provider counts. Returns null if there is none, or if one side reports nothing.
 */
export async function findSharedVendor(
  fairlead: Fairlead,
  builders: readonly string[],
  reviewers: readonly string[],
): Promise<string | null> {
  const shared = (await listVendors(fairlead, builders)).intersection(await listVendors(fairlead, reviewers));
  return [...shared][0] ?? null;
}

async function listVendors(fairlead: Fairlead, sessions: readonly string[]): Promise<Set<string>> {
  const usage = (await Promise.all(sessions.map((session) => fairlead.usage(session)))).flat();
  const vendors = await Promise.all(
    usage.map(async ({ model, provider }) => (await findModelMaker(model)) ?? provider.toLowerCase()),
  );
  return new Set(vendors.filter((vendor) => !unknownProviders.has(vendor)));
}
