import { defaultAgent } from "@fairlead/adapters";
import type { PermissionMode } from "@fairlead/contract";
import { choose, type Asked, type Choice, type Environment } from "@fairlead/runtime";
import { agents } from "./agents.ts";

export interface ChoosingOptions {
  readonly workspace: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mode?: PermissionMode;
  readonly environment: Environment;
  /** Whether the workspace's file is trusted with all that it sets. */
  readonly trusts: NonNullable<Asked["trusts"]>;
}

export interface Chosen {
  /** Null when there is no agent of the name that was typed. */
  readonly choice: Choice | null;
  /** The variables that it is given by name. */
  readonly variables: readonly string[];
  /** The words that are not an agent's name. */
  readonly said: readonly string[];
}

/**
 * The agent that a command line means. Chosen here and not by the daemon, whose environment is another. The first word
 * is an agent's name, unless it is a whole sentence: then the workspace or the environment chooses.
 */
export function chooseAgent(words: readonly string[], options: ChoosingOptions): Chosen {
  const known = agents();
  const [first, ...rest] = words;
  const isKnown = known.all.some(({ manifest }) => manifest.id === first);
  if (first !== undefined && !isKnown && !/\s/.test(first)) return { choice: null, variables: [], said: rest };
  const agent = isKnown ? first : undefined;
  const choice = choose(known, { ...options, fallback: defaultAgent, ...(agent !== undefined && { agent }) });
  const variables = known.find(choice.agent).manifest.environment;
  return { choice, variables, said: isKnown ? rest : words };
}
