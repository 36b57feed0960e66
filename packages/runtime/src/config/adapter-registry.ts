import { FairleadError, type Adapter, type Capability, type PermissionMode, type Settings } from "@fairlead/contract";
import { z } from "zod";

/** The adapters of a runtime, by id. */
export class AdapterRegistry {
  readonly #adapters: ReadonlyMap<string, Adapter>;

  constructor(adapters: readonly Adapter[]) {
    this.#adapters = new Map(adapters.map((adapter) => [adapter.manifest.id, adapter]));
  }

  get all(): readonly Adapter[] {
    return [...this.#adapters.values()];
  }

  find(id: string): Adapter {
    const adapter = this.#adapters.get(id);
    if (adapter !== undefined) return adapter;
    const known = [...this.#adapters.keys()].join(", ");
    throw new FairleadError("unknown-agent", `There is no agent "${id}". Agents: ${known}.`);
  }
}

/** Parses settings with the adapter's schema, which adds defaults. Throws `invalid-settings` before a process starts. */
export function validateSettings({ manifest }: Adapter, settings: unknown): Settings {
  const parsed = manifest.settings.safeParse(settings);
  if (parsed.success) return parsed.data;
  const problems = z.prettifyError(parsed.error);
  throw new FairleadError("invalid-settings", `Invalid settings for ${manifest.id}:\n${problems}`);
}

/** Throws `not-supported` if the agent does not have the mode. */
export function assertModeSupported({ manifest }: Adapter, mode: PermissionMode): void {
  if (manifest.modes.includes(mode)) return;
  const known = manifest.modes.join(", ");
  throw new FairleadError(
    "not-supported",
    `${manifest.id} does not support the mode "${mode}". Supported modes: ${known}.`,
  );
}

/** The settings with the same name for every agent, and the capability that each of them needs. */
const settingCapabilities = new Map<string, Capability>([
  ["systemPrompt", "system-prompt"],
  ["maxTurns", "max-turns"],
]);

/** Throws `not-supported` if a setting needs a capability that is not declared: the agent would ignore it. */
export function assertSettingsSupported(
  { manifest }: Adapter,
  settings: unknown,
  declared: readonly Capability[] = manifest.capabilities,
): void {
  if (typeof settings !== "object" || settings === null) return;
  for (const [name, value] of Object.entries(settings)) {
    const needed = settingCapabilities.get(name);
    if (value === undefined || needed === undefined || declared.includes(needed)) continue;
    throw new FairleadError("not-supported", `${manifest.id} does not support the setting "${name}".`);
  }
}
