import type { Capability, Conversation, Finding, Opening, PermissionMode } from "@fairlead/contract";
import { PassedFlags, type AcpQuirks, type ProbeLine } from "@fairlead/kit";
import { z } from "zod";

/** The same words as on every agent. An entry may add words of its own: `AcpSettings.extend({...})`. */
export const AcpSettings = z.strictObject({
  model: z.string().optional(),
  systemPrompt: z.string().optional(),
  maxTurns: z.int().positive().optional(),
  /** Flags of the program, passed on as they are; what is set by the words above takes precedence. */
  options: PassedFlags.default({}),
  /** How long it may be silent while it waits for its model, in milliseconds: few say that they are trying again. */
  retryDeadline: z.int().positive().default(300_000),
});
export type AcpSettings = z.infer<typeof AcpSettings>;

/** What the settings of every entry have in common; what its `options` are is an agent's own affair. */
export type CommonSettings = Omit<AcpSettings, "options"> & { readonly options: object };

/** What was asked of a session, as far as it bears on how the program is launched. */
export interface AcpChoice<Settings extends CommonSettings = AcpSettings> {
  /** Parsed by the entry's own schema. */
  readonly settings: Settings;
  readonly mode: PermissionMode;
  readonly workspace: string;
  readonly finding: Finding;
}

/** An agent that speaks the Agent Client Protocol: everything that is peculiar to it, as data. */
export interface AcpEntry<Settings extends CommonSettings = AcpSettings> {
  readonly id: string;
  readonly version: string;
  readonly vendor: string;
  readonly label: string;
  readonly models: readonly string[];
  readonly capabilities: readonly Capability[];
  /** The modes it can keep, each with its own name for the mode (`session/set_mode`), or null to leave it as it is. */
  readonly modes: Readonly<Partial<Record<PermissionMode, string | null>>>;
  /** Environment variables that are handed on, as in a manifest. */
  readonly environment: readonly string[];
  /** The schema of its settings; `AcpSettings` unless given. */
  readonly settings?: z.ZodType<Settings>;
  /** Which of the common words `launch`, or `modelOption`, carries out. The others are said not to be honoured. */
  readonly honours: readonly ("model" | "systemPrompt" | "maxTurns" | "options")[];
  /** How it is found, and what is said of it. */
  readonly probe: AcpProbe;
  /** Pure. Arguments, and what is added to the environment. */
  launch(choice: AcpChoice<Settings>): {
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  };
  /** Set when the model is chosen by a configuration option of the protocol (`session/set_config_option`). */
  readonly modelOption?: string;
  /** The authentication method to ask for when it demands one and a key was found. */
  readonly authMethod?: string;
  /** Set when it asks before it announces: a call that it says to be in progress has then started, in every mode. */
  readonly asksFirst?: true;
  readonly quirks?: AcpQuirks;
  /** Where it keeps its own record of a conversation, as in an adapter. */
  transcript?(
    opening: Opening,
    agentSessionId: string,
    environment: Readonly<Record<string, string | undefined>>,
  ): string;
  /** How it is spoken to when this flag is not in its help. */
  readonly otherwise?: { readonly lacking: string; open(opening: Opening): Conversation };
}

export interface AcpProbe extends Omit<ProbeLine, "auth"> {
  /** Variables, any of which holds a key. */
  readonly keys: readonly string[];
  /** Files, any of which shows a login; `~` is the user's home. */
  readonly logins: readonly string[];
  /** Said when there is neither; null when it needs none. */
  readonly unsigned: string | null;
  /** Flags without which it cannot be spoken to. */
  readonly flags?: readonly string[];
  /** Said whatever is found: that it is retired, or that nobody has tried it here. */
  readonly always?: readonly string[];
}
