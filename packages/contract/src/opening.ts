import { z } from "zod";
import { Brief } from "./brief.ts";
import { PermissionMode } from "./permission-mode.ts";
import { SessionPolicy } from "./policy/session-policy.ts";
import { RoomName, Rooms } from "./rooms/rooms.ts";
import { Sandbox } from "./sandbox.ts";
import { SessionRepository } from "./session-repository.ts";
import { SpendingLimits, Spent } from "./spending/spending-limits.ts";
import { McpServers } from "./tools/mcp-server.ts";
import { ToolName, ToolOffer } from "./tools/tool-offer.ts";

/** Result of probing an agent on this machine: facts, and one sentence per problem. */
export const ProbeResult = z.strictObject({
  installed: z.boolean(),
  /** Path of the program to launch. */
  program: z.string().nullable(),
  version: z.string().nullable(),
  /** Flags found in the program's help. */
  flags: z.array(z.string()),
  /** How the agent authenticates to its vendor; `none` if it needs no credential. */
  auth: z.enum(["api-key", "login", "none", "unknown"]),
  /** Problems on this machine and how to fix them, one sentence each. */
  problems: z.array(z.string()),
});
export type ProbeResult = z.infer<typeof ProbeResult>;

/**
 * The session that this session continues, and how: from the agent's own memory (`native`), from the journal's messages
 * sent again (`rebuilt`), or without the earlier messages (`fresh`). The last two need consent.
 */
export const Continuation = z.strictObject({
  session: z.string(),
  /** The agent's own id of the conversation; null unless the outcome is `native`. */
  agentSessionId: z.string().nullable(),
  /** Missing in older spools, which had only `native`. */
  outcome: z.enum(["native", "rebuilt", "fresh"]).default("native"),
  /** Set if this session forks the conversation. The other session keeps its own copy and may still be running. */
  fork: z.literal(true).optional(),
  /**
   * The sequence of the other session's last event that belongs to this conversation. Missing in older spools, whose forks
   * are cut by time.
   */
  after: z.int().nonnegative().optional(),
});
export type Continuation = z.infer<typeof Continuation>;

/** The session whose agent started this one. */
export const ParentSession = z.strictObject({
  session: z.string(),
  /** How many sessions are above this one. */
  depth: z.int().positive(),
});
export type ParentSession = z.infer<typeof ParentSession>;

/** What an isolated copy starts from. */
export const CopyOrigin = z.strictObject({
  /** The id of a commit, in full. */
  base: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "expected the whole id of a commit"),
  /** The run of the foreman whose repository has the commit. Without it, the person's repository has it. */
  run: z
    .string()
    .regex(/^run-[a-z0-9]{1,40}$/)
    .optional(),
});
export type CopyOrigin = z.infer<typeof CopyOrigin>;

/** The clone of a person's repository that a session works in, instead of in the repository itself. */
export const IsolatedCopy = z.strictObject({
  /** The person's folder, as the start request named it. */
  workspace: z.string(),
  /** The branch of the clone. */
  branch: z.string(),
  /** The commit of the person's repository that the branch starts from. */
  base: z.string(),
});
export type IsolatedCopy = z.infer<typeof IsolatedCopy>;

/**
 * How a session may continue on another host if its own is lost: `native`, only with the agent's own memory; `rebuilt`, else
 * from the journal's messages; `never`, it ends.
 */
export const Moving = z.enum(["native", "rebuilt", "never"]);
export type Moving = z.infer<typeof Moving>;

/**
 * All data that an adapter needs to hold a conversation. The first record of every spool. Contains no secret: `settings`
 * has references to the strings of the manifest's `secretSettings`.
 */
export const Opening = z.strictObject({
  session: z.string(),
  /** The session's name. Missing in spools older than session names. */
  name: z.string().nullable().default(null),
  agent: z.string(),
  adapterVersion: z.string(),
  workspace: z.string(),
  mode: PermissionMode,
  settings: z.record(z.string(), z.unknown()),
  probeResult: ProbeResult,
  continues: Continuation.nullable(),
  /**
   * Set if no person trusts the workspace: the manifest's `workspaceFiles` that it contains. The adapter makes the agent
   * ignore all of these files, also those that are added later. Missing in a trusted workspace and in older spools.
   */
  untrustedFiles: z.array(z.string()).optional(),
  /**
   * The commit of the workspace when the session started; null if there was none. Missing if it could not be read, and in
   * older spools.
   */
  startCommit: z.string().nullable().optional(),
  /** What the agent's processes can reach. Missing in older spools, whose sessions have no sandbox. */
  sandbox: Sandbox.optional(),
  /** What the session may use in all. Missing if it has no limit. */
  limits: SpendingLimits.optional(),
  /** What the session that it continues has used of the same limits. */
  spent: Spent.optional(),
  /** Which calls are allowed, asked about and denied. Missing in a session without a policy, as in all older spools. */
  policy: SessionPolicy.optional(),
  /** Whether the session pauses while a quota of the agent's account is used up, and continues after its reset. */
  park: z.literal(true).optional(),
  /** How the session may continue on another host. Missing: `native`. */
  moving: Moving.optional(),
  /** The rooms of the workspace when the session started. Missing if it has none. */
  rooms: Rooms.optional(),
  /** The room that the session works in. Missing if it was started without one. */
  room: RoomName.optional(),
  /** The brief that the session was started with, or that the session which it continues had. */
  brief: Brief.optional(),
  /** The tools that Fairlead runs for the agent. Missing if it is offered none. */
  tools: z.array(ToolOffer).max(100).optional(),
  /** Which of the tools a program beside the daemon runs. The id is a secret of the program. */
  toolProgram: z.strictObject({ id: z.string(), tools: z.array(ToolName) }).optional(),
  /** Set if the agent of another session started this one. */
  parent: ParentSession.optional(),
  /** The MCP servers that the agent starts. References stand for the values of their variables. Missing if there is none. */
  mcpServers: McpServers.optional(),
  /** Set if the workspace is in an isolated copy. */
  copy: IsolatedCopy.optional(),
  /** Set if the workspace is a clone that Fairlead made of a repository. Its snapshots are in that repository. */
  repository: SessionRepository.optional(),
  /** What a person should know about the start, one sentence each. */
  notices: z.array(z.string()).optional(),
});
export type Opening = z.infer<typeof Opening>;
