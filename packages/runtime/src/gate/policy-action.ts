import type { Rooms } from "@fairlead/contract";

/** An action that a policy decides about: a tool call of an agent, as far as its adapter understands it. */
export type PolicyAction = {
  /** The agent's name of the tool. */
  readonly tool?: string;
  /** The absolute path of the workspace. Without it every absolute path is outside. */
  readonly workspace?: string;
  /** The person's home. Without it, only the usual places of homes are known. */
  readonly home?: string;
  /** The rooms of the workspace. A rule that names another room applies to nothing. */
  readonly rooms?: Rooms;
  /** Paths in the workspace that configure the agent. */
  readonly agentFiles?: readonly string[];
  /** Set if the action does more than is known, so that it cannot be decided. */
  readonly isIncomplete?: boolean;
} & (
  | {
      readonly kind: "run";
      readonly command: string;
      /** The folder in which it runs, if it is not the workspace. */
      readonly folder?: string;
    }
  | { readonly kind: "edit" | "read" | "search"; readonly paths: readonly string[] }
  | { readonly kind: "fetch"; readonly hosts: readonly string[] }
  | { readonly kind: "other" }
);
