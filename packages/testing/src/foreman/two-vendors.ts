import { adapters } from "@fairlead/adapters";
import type { Adapter } from "@fairlead/contract";

const scripted = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;

/** All adapters, and one more that plays scripts and is made by another vendor, so that a plan has a second one. */
export const twoVendors: readonly Adapter[] = [
  ...adapters,
  { ...scripted, manifest: { ...scripted.manifest, id: "second", vendor: "Second" } },
];
