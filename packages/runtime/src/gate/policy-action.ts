/** An action that a policy decides about: a tool call of an agent, as far as its adapter understands it. */
export type PolicyAction = {
  /** The agent's name of the tool. */
  readonly tool?: string;
  /** The absolute path of the workspace. Without it every absolute path is outside. */
  readonly workspace?: string;
  /** Paths in the workspace that configure the agent. */
  readonly agentFiles?: readonly string[];
} & (
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "edit" | "read" | "search"; readonly paths: readonly string[] }
  | { readonly kind: "fetch"; readonly host: string }
  | { readonly kind: "other" }
);
