import type { Capability } from "./capability.ts";
import type { Manifest } from "./manifest.ts";

/** What an agent can do in one version of its program; what the version cannot be told from is taken to be today's. */
export function capabilitiesOf({ capabilities, since = {} }: Manifest, version: string | null): readonly Capability[] {
  return capabilities.filter((one) => version === null || !isOlder(version, since[one] ?? "0"));
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}
