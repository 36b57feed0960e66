import type { z } from "zod";
import type { Capability } from "./capability.ts";
import type { PermissionMode } from "./permission-mode.ts";

/** An adapter's account of itself: data, readable without starting anything. */
export interface Manifest {
  /** The version of this contract that the adapter was written for. */
  readonly contract: "adapter/1";
  /** The name people type. Unique among the adapters of a runtime. */
  readonly id: string;
  /** The adapter's own version, not the agent's. */
  readonly version: string;
  /** Who makes the agent. */
  readonly vendor: string;
  /** What people read. */
  readonly label: string;
  /** Models it is known to take; empty when any name is passed on. The first is what it takes by itself. */
  readonly models: readonly string[];
  readonly capabilities: readonly Capability[];
  /** For what older programs lack: the oldest version that was seen to have it. */
  readonly since?: Readonly<Partial<Record<Capability, string>>>;
  /** The modes it can keep. `full-auto` is the runtime's doing and open to all that ask for approvals. */
  readonly modes: readonly PermissionMode[];
  /** What may be set. Checked before anything starts; an unknown key is refused. */
  readonly settings: z.ZodType<Settings>;
  /** Environment variables that are handed on to the agent if they are set; `NAME_*` means all that begin so. Every
   * other is withheld, but for the few that any program needs. */
  readonly environment: readonly string[];
}

/** Settings after the manifest's schema has accepted them. They are written to the spool: never put a secret here. */
export type Settings = Readonly<Record<string, unknown>>;
