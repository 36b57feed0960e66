import type { Fairlead } from "@fairlead/api";

/**
 * Finds a vendor whose service answered both a builder and the reviewer, by what the agents reported. Returns null if there
 * is none, or if one side reports nothing.
 */
export async function findSharedVendor(
  fairlead: Fairlead,
  builders: readonly string[],
  reviewers: readonly string[],
): Promise<string | null> {
  const served = async (sessions: readonly string[]): Promise<Set<string>> => {
    const usage = (await Promise.all(sessions.map((session) => fairlead.usage(session)))).flat();
    return new Set(
      usage.map(({ provider }) => provider.toLowerCase()).filter((one) => one !== "unknown" && one !== ""),
    );
  };
  const shared = (await served(builders)).intersection(await served(reviewers));
  return [...shared][0] ?? null;
}
