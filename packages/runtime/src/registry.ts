import { FairleadError, type Adapter, type PermissionMode, type Settings } from "@fairlead/contract";
import { z } from "zod";

/** The adapters of a runtime, by name. */
export class Registry {
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
    throw new FairleadError("unknown-agent", `There is no agent called "${id}". Known here: ${known}.`);
  }
}

/** The settings as the adapter's schema has completed them; refused here, before anything is started. */
export function acceptedSettings({ manifest }: Adapter, settings: unknown): Settings {
  const accepted = manifest.settings.safeParse(settings);
  if (accepted.success) return accepted.data;
  const wrong = z.prettifyError(accepted.error);
  throw new FairleadError("invalid-settings", `These settings do not fit ${manifest.id}:\n${wrong}`);
}

export function acceptMode({ manifest }: Adapter, mode: PermissionMode): void {
  if (manifest.modes.includes(mode)) return;
  const known = manifest.modes.join(", ");
  throw new FairleadError("not-supported", `${manifest.id} cannot keep the mode "${mode}". It knows: ${known}.`);
}
