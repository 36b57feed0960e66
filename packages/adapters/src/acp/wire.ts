import type { Adapter, AgentNeeds, Capability, Conversation, Manifest, Opening } from "@fairlead/contract";
import type { PermissionMode, ProbeResult } from "@fairlead/contract";
import { PassThroughFlags, type AcpQuirks, type ProgramProbe } from "@fairlead/kit";
import { z } from "zod";

/** Settings with the same names as on every agent. An agent may replace or add some: `AcpSettings.extend({...})`. */
export const AcpSettings = z.strictObject({
  model: z.string().optional().describe("The model, as the agent names it."),
  systemPrompt: z.string().optional().describe("Instructions for the model."),
  maxTurns: z.int().positive().optional().describe("The maximum number of steps in a turn."),
  options: PassThroughFlags.default({}).describe(
    "Flags of the program, without dashes. The other settings override them.",
  ),
  retryDeadline: z
    .int()
    .positive()
    .default(300_000)
    .describe(
      "How long the agent may be silent while it waits for its model, in ms. Few agents report that they retry.",
    ),
});
export type AcpSettings = z.infer<typeof AcpSettings>;

/** The settings that every ACP agent has in common. Each agent defines the content of `options`. */
export type CommonSettings = Omit<AcpSettings, "options"> & { readonly options: object };

/** Settings that an agent supports only if its definition lists them in `honors`. */
export const optionalSettings = ["model", "systemPrompt", "maxTurns", "options"] as const;

/** The part of a session's opening that affects how the program is launched. */
export interface AcpLaunchContext<Settings extends CommonSettings = AcpSettings> {
  /** Parsed by the agent's own schema. */
  readonly settings: Settings;
  readonly mode: PermissionMode;
  readonly workspace: string;
  readonly probeResult: ProbeResult;
  /** Whether a person trusts the workspace. Otherwise the agent must ignore the definition's `workspaceFiles`. */
  readonly isTrusted: boolean;
  /** Whether the agent must ask before every call. Only if the definition has the capability `asks-all`. */
  readonly asksAboutAll: boolean;
  /** The names of the MCP servers that the agent is given. */
  readonly servers: readonly string[];
}

/** An agent that speaks the Agent Client Protocol: everything that is specific to it, as data. */
export interface AcpAgentDefinition<Settings extends CommonSettings = AcpSettings> {
  readonly id: string;
  readonly version: string;
  readonly vendor: string;
  readonly label: string;
  readonly models: readonly string[];
  readonly capabilities: readonly Capability[];
  /** The supported modes, each with the agent's name for it (`session/set_mode`), or null to send no mode. */
  readonly modes: Readonly<Partial<Record<PermissionMode, string | null>>>;
  /** The agent's name for the mode in which it asks before every call, if it has one. */
  readonly asksAllMode?: string;
  /** Environment variables that the agent receives, as in a manifest. */
  readonly environment: readonly string[];
  /** The schema of the agent's settings; `AcpSettings` by default. */
  readonly settings?: z.ZodObject & z.ZodType<Settings>;
  /** The optional settings that `launch` or `modelOption` applies. The manifest's schema refuses the others. */
  readonly honors: readonly (typeof optionalSettings)[number][];
  /** Files of a workspace that configure the agent, as in a manifest. */
  readonly workspaceFiles?: readonly string[];
  /** Which versions of the program can ignore them, as in a manifest. */
  readonly ignoresWorkspaceFiles?: Manifest["ignoresWorkspaceFiles"];
  /** Files of a workspace that the agent runs even so, as in a manifest. */
  readonly workspacePrograms?: readonly string[];
  /** How the probe finds the program, and which problems it reports. */
  readonly probe: AcpProbe;
  /** Returns the arguments and the variables to add to the environment. Pure. */
  launch(context: AcpLaunchContext<Settings>): {
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  };
  /** The configuration option of the protocol that selects the model (`session/set_config_option`), if it does. */
  readonly modelOption?: string;
  /** The authentication method to request when the agent demands one and the probe found a key. */
  readonly authMethod?: string;
  /** Set when the agent asks before it announces a call: a call in progress has then started, in every mode. */
  readonly asksBeforeAnnouncing?: true;
  readonly quirks?: AcpQuirks;
  /** What the agent puts before the names of an MCP server and its tool. Needed for the capability `mcp-servers`. */
  readonly serverToolPrefix?: string;
  /** Returns the path of the agent's own record of a conversation, as in an adapter. */
  transcript?(
    opening: Opening,
    agentSessionId: string,
    environment: Readonly<Record<string, string | undefined>>,
  ): string;
  /** Returns the files in which the agent keeps a conversation, as in an adapter. */
  memory?: Adapter["memory"];
  /** Returns what the agent needs in a sandbox, as in an adapter. */
  needs?(environment: Readonly<Record<string, string | undefined>>, opening: Opening): AgentNeeds;
  /** The protocol for programs whose help does not list `missingFlag`, and what the agent can do over it. */
  readonly fallback?: {
    readonly missingFlag: string;
    readonly protocol: string;
    readonly capabilities: readonly Capability[];
    open(opening: Opening): Conversation;
  };
}

interface AcpProbe extends Omit<ProgramProbe, "auth"> {
  /** Variables, any of which contains a key. */
  readonly keyVariables: readonly string[];
  /** Files, any of which shows a login; `~` is the user's home. */
  readonly loginFiles: readonly string[];
  /** The problem to report when there is neither a key nor a login; null when the agent needs none. */
  readonly signInHint: string | null;
  /** Flags that the adapter cannot work without. */
  readonly requiredFlags?: readonly string[];
  /** Problems to report whatever the probe finds, for example that the agent is retired or unverified. */
  readonly notices?: readonly string[];
}
