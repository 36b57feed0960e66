import type { CliContext } from "../cli-context.ts";

/** Runs the action of a command with the CLI's context and records its exit code. */
export type CommandRunner = (command: (context: CliContext) => Promise<number>) => Promise<void>;

/** The argument that selects a session, as every command takes it: name and description for commander. */
export const sessionArgument = ["<session>", "name, id, or beginning of the id"] as const;

/** The argument that selects a decision of the session: name and description for commander. */
export const decisionArgument = [
  "[decision]",
  "digest of the decision (at least 12 characters), or its id or the beginning of its id; needed if several could be meant",
] as const;
