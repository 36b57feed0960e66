import type {
  Brief,
  Continuation,
  CopyOrigin,
  Moving,
  Opening,
  PermissionMode,
  PolicyRequest,
} from "@fairlead/contract";
import type { ParentBounds } from "../../delegation/parent-bounds.ts";
import type { McpServer, SpendingLimits, Spent, ToolOffer } from "@fairlead/contract";
import type { SandboxChoice } from "../../sandbox/compute-sandbox.ts";

export interface StartOptions {
  readonly agent: string;
  readonly workspace: string;
  /** Works in a clone of the workspace's repository, on a branch of its own, from its last commit or from another one. */
  readonly isolated?: boolean | CopyOrigin;
  /** Name for people. No two open sessions may have the same name. */
  readonly name?: string;
  /** Id of the session, so that a repeated start finds the same session. Random by default. */
  readonly session?: string;
  readonly mode?: PermissionMode;
  readonly settings?: unknown;
  /** The limits of the agent's processes. What is omitted is as strict as it can be on this machine, see `chooseSandbox`. */
  readonly sandbox?: Partial<SandboxChoice>;
  /** What the session may use in all. */
  readonly limits?: SpendingLimits;
  /** What the session that it continues has used of these limits. */
  readonly spent?: Spent;
  /** Rules beside those of the user and of the workspace. */
  readonly policy?: PolicyRequest;
  /** Pauses the session while a quota of the agent's account is used up. */
  readonly park?: boolean;
  /** How the session may continue on another host. */
  readonly moving?: Moving;
  /** A room of the workspace that the session works in. */
  readonly room?: string;
  /** The task. Unless the session continues another one, the brief is its first message. */
  readonly brief?: Brief;
  /** Sends the brief with the first message: the conversation that is continued does not have it. */
  readonly tellBrief?: boolean;
  /** The tools that the agent is offered. */
  readonly tools?: readonly ToolOffer[];
  /** Which of the tools a program beside the daemon runs. */
  readonly toolProgram?: NonNullable<Opening["toolProgram"]>;
  /** The session whose agent starts this one. Its sandbox and policy are the most that this one gets. */
  readonly parent?: ParentBounds;
  /** The MCP servers that the agent starts, beside those of the user and of the workspace. */
  readonly mcpServers?: readonly McpServer[];
  /** Leaves out what the policies allow: the caller may not approve in advance. */
  readonly approvalsRequired?: boolean;
  /** The session whose conversation this one continues. */
  readonly continues?: Continuation;
  /** Context to send with the first message. */
  readonly injected?: readonly string[];
  /** The first messages, in order. */
  readonly queued?: readonly string[];
}
