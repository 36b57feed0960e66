import type { z } from "zod";
import type { Capability } from "./capability.ts";
import type { PermissionMode } from "./permission-mode.ts";

/** Static description of an adapter. Readable without starting a process. */
export interface Manifest {
  /** Version of this contract that the adapter implements. */
  readonly contract: "adapter/1";
  /** The name that users type. Unique among the adapters of a runtime. */
  readonly id: string;
  /** The adapter's own version, not the agent's. */
  readonly version: string;
  /** The company or project that makes the agent. */
  readonly vendor: string;
  /** Display name. */
  readonly label: string;
  /** Known models; the first is the agent's default. Empty if the adapter passes on any name. */
  readonly models: readonly string[];
  readonly capabilities: readonly Capability[];
  /** Oldest version of the agent's program in which a capability was observed. Without an entry: all versions. */
  readonly since?: Readonly<Partial<Record<Capability, string>>>;
  /**
   * What a message is to the agent. `conversation`, the default: it continues the messages before it. `independent`: it
   * starts a conversation of its own, so a new process forgets nothing. `command`: it is executed as it is, so no context
   * can be sent with it.
   */
  readonly messages?: "conversation" | "independent" | "command";
  /** Set when the adapter speaks a lesser protocol with programs that lack a flag. */
  readonly fallback?: {
    /** The entry of `ProbeResult.flags` that the main protocol needs. */
    readonly missingFlag: string;
    /** Whether the adapter also falls back when the probe found no flags, because it could not read the help. */
    readonly whenFlagsUnknown: boolean;
    /** The adapter's name for the lesser protocol, as in `Conversation.protocol`. */
    readonly protocol: string;
    /** What the agent can do over the lesser protocol. */
    readonly capabilities: readonly Capability[];
  };
  /** Supported modes. The runtime implements `full-auto` for every agent that asks for approvals. */
  readonly modes: readonly PermissionMode[];
  /** Schema of the settings. Checked before a process starts; an unknown key is rejected. */
  readonly settings: z.ZodType<Settings>;
  /**
   * Names of settings whose text may be secret. The runtime stores their strings in a private file, and passes references
   * to `open`. An adapter may only pass such a string on in the arguments or the environment of a process. Default: `env`.
   */
  readonly secretSettings?: readonly string[];
  /**
   * Files of a workspace that configure the agent and can make it run programs, such as hooks and tool servers, if the
   * agent itself does not ask whether to trust them. The adapter must make the agent ignore them if
   * `Opening.untrustedFiles` is set.
   */
  readonly workspaceFiles?: readonly string[];
  /**
   * What the program must have to ignore `workspaceFiles`. The runtime refuses to start a program that lacks it where
   * there are such files and no person trusts the workspace. Without an entry: all versions ignore them.
   */
  readonly ignoresWorkspaceFiles?: {
    /** An entry of `ProbeResult.flags`. If the probe found no flags, the program itself must refuse an unknown one. */
    readonly flag?: string;
    /** The versions that ignore them, as a range of semantic versions. An unknown version is in no range. */
    readonly versions?: string;
  };
  /**
   * Files of a workspace, or of a folder above it, that the agent runs although it ignores `workspaceFiles`. The runtime
   * refuses to start the agent there if no person trusts the workspace.
   */
  readonly workspacePrograms?: readonly string[];
  /** Environment variables that the keeper passes on to the agent if they are set; `NAME_*` matches a prefix. All
   * others are withheld, except the few that every program needs. */
  readonly environment: readonly string[];
}

/** Settings that the manifest's schema accepted. The runtime writes them to the spool, except `secretSettings`. */
export type Settings = Readonly<Record<string, unknown>>;
