import { adapters, defaultAgentId, unverifiedAdapters } from "@fairlead/adapters";
import type { PermissionMode } from "@fairlead/contract";
import {
  AdapterRegistry,
  selectAgent,
  type AgentSelectionOptions,
  type SelectedAgent,
  type Environment,
} from "@fairlead/runtime";

export interface ChooseAgentOptions {
  readonly workspace: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mode?: PermissionMode;
  readonly approvalsRequired?: boolean;
  readonly environment: Environment;
  /** Whether the workspace's file may set what an untrusted file may not. */
  readonly trusts: NonNullable<AgentSelectionOptions["trusts"]>;
}

export interface AgentSelection {
  /** Null if no agent has the name that was typed. */
  readonly choice: SelectedAgent | null;
  /** The environment variables that the agent receives by name. */
  readonly variables: readonly string[];
  /** The words after the agent's name. */
  readonly promptWords: readonly string[];
}

/**
 * Selects the agent of a command line. This process selects it and not the daemon, whose environment differs. The first
 * word is the agent's name, unless it contains a space: then the workspace or the environment selects the agent.
 */
export function chooseAgent(words: readonly string[], options: ChooseAgentOptions): AgentSelection {
  const registry = createAgentRegistry();
  const [first, ...rest] = words;
  const isKnown = registry.all.some(({ manifest }) => manifest.id === first);
  if (first !== undefined && !isKnown && !/\s/.test(first)) return { choice: null, variables: [], promptWords: rest };
  const agent = isKnown ? first : undefined;
  const choice = selectAgent(registry, { ...options, fallback: defaultAgentId, ...(agent !== undefined && { agent }) });
  const variables = registry.find(choice.agent).manifest.environment;
  return { choice, variables, promptWords: isKnown ? rest : words };
}

/** Creates a registry of every agent that this version knows. Import this module lazily: the adapters are large. */
export function createAgentRegistry(): AdapterRegistry {
  return new AdapterRegistry([...adapters, ...unverifiedAdapters]);
}
